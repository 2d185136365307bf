"""One line of an ad log: its operation and its words."""

from __future__ import annotations

from sys import intern

from condor_py.model.record import DELETE, DESTROY_AD, NEW_AD, SET
from condor_py.model.record import Change as Record

BEGIN = 105
END = 106
SEQUENCE = 107

#: How an ad without a type is written.
EMPTY_TYPE = "(empty)"
#: Digits of an op at most: all that exist have three, and Python refuses to read thousands.
_LONGEST_OP = 9
#: Words that a record of each op has at least, after the op itself.
SHAPES = {NEW_AD: 2, DESTROY_AD: 1, SET: 3, DELETE: 2, SEQUENCE: 3}


def parse_line(line: str) -> Record | None:
    """One line by the letter, with HTCondor's tolerance for more than one blank; None when it is no
    record."""
    op_text, _, body = line.partition(" ")
    if len(op_text) > _LONGEST_OP or not (op_text.isascii() and op_text.isdigit()) or "\0" in line:
        return None
    op = int(op_text)
    if op in (BEGIN, END):
        body = body.strip()
        return Record(op, "", "", body) if not body or body.startswith("#") else None
    need = SHAPES.get(op)
    if need is None:  # a later HTCondor's: kept as it is
        return Record(op, "", "", body) if 100 < op < 200 else None
    words = body.split(None, 2 if op in (SET, NEW_AD, SEQUENCE) else need)
    if len(words) < need or (len(words) > need and op != NEW_AD):
        return None
    if op == NEW_AD:
        target = words[2].rstrip() if len(words) > 2 else EMPTY_TYPE
        return Record(op, words[0], type_in(words[1]), type_in(target))
    name = intern(words[1]) if need > 1 else ""
    return Record(op, words[0], name, words[2] if need > 2 else "")


def type_in(word: str) -> str:
    """The type that a word of a 101 stands for."""
    return "" if word == EMPTY_TYPE else intern(word)
