"""What somebody probably meant who misspelled an option, or an attribute in a constraint."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from condor_py.cli.options import ToolSpec

_ALIKE = 0.75


def nearest(word: str, known: Iterable[str]) -> str:
    """The word most like ``word``, or one that has the same letters in another order; empty when none is."""
    from difflib import get_close_matches

    words = list(known)
    found = get_close_matches(word, words, 1, _ALIKE) or [like for like in words if sorted(like) == sorted(word)]
    return found[0] if found and len(word) > 2 else ""


def nearest_option(argument: str, spec: ToolSpec) -> str:
    """The option whose misspelling ``argument`` probably is, with its dash; empty when there is none."""
    word = argument.lstrip("-").partition(":")[0]
    like = nearest(word, (option.name for option in spec.options if not option.hidden))
    return f"-{like}" if like else ""


#: What may stand between ``queue`` and the items, which are anybody's words.
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

    words = dict.fromkeys(re.findall(r"'(\S+)' is not a valid DAG command", report))
    meant = {word: nearest(word.upper(), KEYWORDS) for word in words}
    return [f"{word}: did you mean {like}?" for word, like in meant.items() if like]


def warn_of_names(constraints: Iterable[str]) -> None:
    """Says on stderr, to a person at a terminal only, which attributes are unknown and much like known ones.

    Attributes that some job or slot of the pool has are known.
    """
    if not sys.stderr.isatty():
        return
    for name, meant in sorted(set(_unknown_names(constraints))):
        if not _is_in_use(name):
            sys.stderr.write(f"{name}: did you mean {meant}?\n")


def _unknown_names(constraints: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Names that HTCondor does not know and what they are like."""
    from difflib import get_close_matches

    from condor_py.lang.classad.errors import ClassAdParseError
    from condor_py.lang.classad.exprtree import parse
    from condor_py.lang.classad.named import named
    from condor_py.model import attributes

    known = attributes.known()
    for text in constraints:
        try:
            tree = parse(text)
        except ClassAdParseError:
            continue  # the tool says so
        for _, name in named(tree.node):
            if attributes.is_known(name):
                continue
            found = get_close_matches(name.lower(), known, 1, _ALIKE)
            if found:
                yield name, known[found[0]]


def _is_in_use(name: str) -> bool:
    from condor_py.client.pool import open_pool
    from condor_py.model.errors import CondorError

    try:
        pool = open_pool()
        view = pool.read_queue()
        return any(text is not None for text in view.texts(name)) or any(ad.has(name) for ad in pool.ads("STARTD"))
    except CondorError:
        return False
