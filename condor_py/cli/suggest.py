"""Suggestions on a terminal in addition to HTCondor's own messages: the culprit, and what was probably meant."""

from __future__ import annotations

import sys

from condor_py.model.spelling import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from condor_py.client.queue_view import QueueView
    from condor_py.lang.classad.nodes import Node


def hint(text: str) -> None:
    """Write a line to standard error if that is a terminal: programs get HTCondor's words alone."""
    if sys.stderr.isatty():
        sys.stdout.flush()
        sys.stderr.write(f"{text}\n")


def name_culprit(command: str, argument: str, text: str) -> None:
    """Name the argument of a command that cannot be understood, if HTCondor's text does not."""
    if argument and argument not in text:
        hint(f"{command}: not understood: {argument}")


def nearest_option(argument: str, names: Iterable[str]) -> str:
    """The option whose misspelling ``argument`` probably is, with its dash; empty when there is none."""
    word = argument.lstrip("-").partition(":")[0]
    like = nearest(word, names)
    return f"-{like}" if like else ""


#: Words permitted between ``queue`` and the items, which are free text.
_BEFORE_ITEMS = ("from", "in", "matching", "files", "dirs", "any")


def meant_by_queue_line(line: str) -> str:
    """The line of a submit description with its misspelled words of the queue statement put right; "" when none is."""
    words = line.split()
    if not words or not nearest(words[0].lower(), ["queue"]):
        return ""
    mended = ["queue"]
    for index, word in enumerate(words[1:], 1):
        known = word.lower() in _BEFORE_ITEMS
        like = "" if known or index == 1 else nearest(word.lower(), _BEFORE_ITEMS)  # the first may be a variable
        mended.append(like or word)
        if word.lower() in ("from", "in"):
            mended += words[index + 1 :]
            break
    return "" if mended[1:] == words[1:] and words[0].lower() == "queue" else " ".join(mended)


def meant_by_commands(text: str) -> Iterator[tuple[str, str]]:
    """Names of commands in a submit description that are none, with what is probably meant.

    What the description itself refers to is a variable, and names with a + or a MY. are attributes.
    """
    import re

    from condor_py.lang.submit.manual import commands

    known = sorted(commands())
    lines = text.splitlines()
    names = dict.fromkeys(line.partition("=")[0].strip().lower() for line in lines if "=" in line)
    for name in names:
        is_name = re.fullmatch(r"[a-z_]\w*", name, re.ASCII)
        if is_name and name not in known and f"$({name}" not in text.lower():
            like = nearest(name, known)
            if like:
                yield name, like


def meant_by_dag_commands(report: str) -> list[str]:
    """Hints about the words that a report calls no DAG commands, each once."""
    import re

    from condor_py.lang.dag.keywords import KEYWORDS

    words = dict.fromkeys(re.findall(r"(?<!\S)'(\S+)' is not a valid DAG command", report))
    meant = {word: nearest(word.upper(), KEYWORDS) for word in words}
    return [f"{word}: did you mean {like}?" for word, like in meant.items() if like]


def warn_of_names(texts: Iterable[str], conditions: Iterable[str] = ()) -> None:
    """Tell a person at a terminal which attributes of expressions are unknown and much like known ones, which functions
    do not exist, and which of the ``conditions`` are nothing but an unknown attribute.

    Attributes that some job or slot of the pool has are known.
    """
    if not sys.stderr.isatty():
        return
    texts, conditions = list(texts), list(conditions)
    found = dict(_unknown_names([*texts, *conditions]))
    for name in filter(None, map(_lone_name, conditions)):
        found.setdefault(name, "")
    for name, meant in sorted(found.items()):
        if name.endswith("()") or not _is_in_use(name):
            hint(f"{name}: did you mean {meant}?" if meant else f"{name}: no ad has this attribute")


#: Words that are no attributes.
_LITERALS = ("true", "false", "undefined", "error")


def _unknown_names(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Names that HTCondor does not know and what they are like; those of functions with parentheses."""
    from condor_py.lang.classad.errors import ClassAdParseError
    from condor_py.lang.classad.exprtree import parse
    from condor_py.lang.classad.named import named
    from condor_py.model import attributes

    known = dict(attributes.known()) | {word: word for word in _LITERALS}
    for text in texts:
        try:
            tree = parse(text)
        except ClassAdParseError:
            continue  # the tool says so
        for _, name in named(tree.node):
            if not attributes.is_known(name) and (like := nearest(name.lower(), known)):
                yield name, known[like]
        yield from unknown_functions(tree.node)


def unknown_functions(node: Node) -> Iterator[tuple[str, str]]:
    """The functions of an expression that do not exist, with parentheses, and what was probably meant."""
    from condor_py.lang.classad.functions import function_names
    from condor_py.lang.classad.nodes import Call, children

    known = function_names()
    work = [node]
    while work:
        node = work.pop()
        work.extend(children(node))
        if isinstance(node, Call) and node.name.lower() not in known:
            yield f"{node.name}()", nearest(node.name.lower(), known) or "one of the functions in the manual"


def _lone_name(condition: str) -> str:
    """The attribute that a condition consists of, perhaps behind an operator, if HTCondor does not know it."""
    import re

    from condor_py.model import attributes

    match = re.fullmatch(r"[\s!(-]*([A-Za-z_]\w*)[\s)]*", condition)
    if match is None or match[1].lower() in _LITERALS or attributes.is_known(match[1]):
        return ""
    return match[1]


def _is_in_use(name: str) -> bool:
    from condor_py.client.pool import open_pool
    from condor_py.model.errors import CondorError

    try:
        pool = open_pool()
        view = pool.read_queue()
        return any(text is not None for text in view.texts(name)) or any(ad.has(name) for ad in pool.ads("STARTD"))
    except CondorError:
        return False


def hint_at_absent(view: QueueView, words: Iterable[str]) -> None:
    """Name the jobs, clusters and users among the words of a command line that the queue does not know."""
    if sys.stderr.isatty() and (absent := _absent(view, words)):
        hint(f"Not in the queue: {', '.join(absent)}")


def _absent(view: QueueView, words: Iterable[str]) -> list[str]:
    import re

    from condor_py.model.ids import JobId
    from condor_py.model.texts import as_integer

    absent = []
    owners: set[str] | None = None
    for word in words:
        match = re.fullmatch(r"(\d+)(?:\.(\d+))?", word)
        if match is None:
            if owners is None:
                owners = {(text or "").strip('"').lower() for text in view.texts("Owner")}
            known = word.partition("@")[0].lower() in owners
        elif match[2] is None:
            known = bool(view.procs(as_integer(match[1])))
        else:
            known = view.job(JobId(as_integer(match[1]), as_integer(match[2]))) is not None
        if not known:
            absent.append(word)
    return absent
