"""The census of HTCondor's knobs: which of them condor_py uses, which have no meaning here, and why.

python docs/knobs.py                write docs/knobs.md from the table of knobs (condor_py/lang/config/table.py)
python docs/knobs.py -against FILE  print the names of HTCondor's own table that ours does not know; exit status 1
                                    if there are any. FILE is its param_info.in; ``-`` asks the installed htcondor2
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from condor_py.lang.config import detected, table  # noqa: E402
from condor_py.lang.config.table import Knob  # noqa: E402

PAGE = ROOT / "docs" / "knobs.md"
_NOT_READ = "HTCondor's programs do not read it either"
#: Groups of the table whose knobs belong to one class, whatever the reason of each.
_OF_GROUP = {
    "Shared port and connection broker": "A network",
    "Security between machines": "Proof of identity",
    "Credentials": "Proof of identity",
    "Services of larger pools": "Services of larger pools",
}
#: Class -> reasons that belong to it, as patterns; the first that fits counts.
_CLASSES = (
    ("Nothing reads them in HTCondor", _NOT_READ),
    ("Another system", r"Windows|Blue Gene|Xen|standard universe|it is for"),
    ("Proof of identity", r"identity|credential|token|keyring|proxies|authenticat"),
    ("A network", r"network|listens|port\b|connection|flock|address|other pools|another pool"),
    ("Services of larger pools", r"Ganglia|search engine|cloud|second machine|database|computing on demand"),
    (
        "Programs that do not exist here",
        r"there (?:is|are) no|not run\b|own (?:programs|daemons|starter|condor_preen)|condor_py's own|no program stands"
        r"|helper programs|example script",
    ),
)
_OTHER = "Done in another way"
#: What each class means, in the order of the page.
ABOUT = {
    "Nothing reads them in HTCondor": "They are in HTCondor's table, and no program of HTCondor asks for them.",
    "Another system": "They are for systems or universes that condor_py does not run on or run.",
    "A network": "Daemons and commands talk over local sockets.",
    "Proof of identity": "The kernel says who calls, and jobs use the files of their owners.",
    "Services of larger pools": "They configure services for several machines.",
    "Programs that do not exist here": "They configure a program that condor_py does not have or need.",
    _OTHER: "What they choose is always done in one way here, or is chosen by another knob.",
}
_HEAD = """\
# Knobs of HTCondor

<!-- made by docs/knobs.py: do not edit -->

This page lists every knob of HTCondor's table and manual that has no effect here, with the reason. All others are used;
[etc/condor_config](../etc/condor_config) has them with their defaults. A knob without effect may be set, and
`condor_config_val -lint` says so with the same words. {counts}

Names with a part in angle brackets are families: the administrator chooses that part.
"""


def class_of(knob: Knob) -> str:
    """Return the class of the reason why a knob has no effect."""
    if _NOT_READ in knob.no_effect:
        return "Nothing reads them in HTCondor"
    if knob.group in _OF_GROUP:
        return _OF_GROUP[knob.group]
    return next((title for title, words in _CLASSES if re.search(words, knob.no_effect)), _OTHER)


def page(knobs: Iterable[Knob]) -> str:
    """Return the text of the page."""
    used, by_class = 0, {title: dict[str, list[str]]() for title in ABOUT}
    for knob in knobs:
        if knob.no_effect:
            by_class[class_of(knob)].setdefault(_reason(knob), []).append(knob.name)
        else:
            used += 1
    idle = {title: sum(map(len, reasons.values())) for title, reasons in by_class.items()}
    counts = f"Of {used + sum(idle.values())} knobs and families {used} are used and {sum(idle.values())} are not:"
    lines = [_HEAD.format(counts=counts), "| class | knobs | meaning |", "|---|---|---|"]
    lines += [f"| [{title}](#{_anchor(title)}) | {idle[title]} | {about} |" for title, about in ABOUT.items()]
    for title, reasons in by_class.items():
        lines += ["", f"## {title}", ""]
        for why, names in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0])):
            why = why if "_" in why.split()[0] else why[:1].upper() + why[1:]
            text = f"- {why}: {', '.join(f'`{name}`' for name in sorted(names, key=str.lower))}."
            lines += textwrap.wrap(text, 120, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def _reason(knob: Knob) -> str:
    """The reason without what its class says already."""
    return re.sub(rf";? ?{_NOT_READ}", "", knob.no_effect) or "nothing"


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def unknown(names: Iterable[str]) -> list[str]:
    """Return the names that neither the table nor the templates nor the detected macros have."""
    return [name for name in names if not _is_known(name)]


def _is_known(name: str) -> bool:
    if name.startswith("$"):
        return True  # a template, not a knob
    base = name.rpartition(".")[2]
    return bool(table.knob(name) or table.knob(base) or table.family(base) or detected.canonical(base))


def theirs(source: str) -> Iterator[str]:
    """The names of HTCondor's table: of its source file, or of its Python module."""
    if source == "-":
        import htcondor2

        yield from htcondor2.param
        return
    yield from re.findall(r"^\[([^\]]+)\]", Path(source).read_text(encoding="utf-8"), re.MULTILINE)


def main(arguments: list[str]) -> int:
    """Write the page, or compare with HTCondor's table."""
    match arguments:
        case []:
            PAGE.write_text(page(table.all_knobs()), encoding="utf-8")
            return 0
        case ["-against", source]:
            missing = unknown(dict.fromkeys(theirs(source)))
            print("\n".join(missing) if missing else "every name is known")
            return 1 if missing else 0
    print(__doc__, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
