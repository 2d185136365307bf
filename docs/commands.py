"""Writes the census of submit commands: which of HTCondor's do something here, which have no effect, which are refused.

    python docs/commands.py                     writes docs/submit-commands.md
    python docs/commands.py -missing FILE       prints the commands that HTCondor's source has and the page has not;
                                                FILE is src/condor_utils/submit_utils.h of a checkout of HTCondor

The page is made of the manual of the submit language (condor_py/lang/submit/manual.tsv), by which condor_submit warns.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from condor_py.lang.submit.manual import Entry, entries

PAGE = Path(__file__).resolve().parent / "submit-commands.md"
#: Beginnings of commands of grid jobs that condor_submit refuses, and what it says of them.
REFUSED = {
    "ec2_": "grid type ec2 is not supported",
    "gce_": "grid type gce is not supported",
    "azure_": "grid type azure is not supported",
    "cloud_label_": "no grid type for clouds is supported",
}
#: Names in HTCondor's table that no description sets, or that its submit no longer reads.
NO_COMMANDS = {
    "Cluster": "a variable",
    "Process": "a variable",
    "NodeCount": "an older name of machine_count, read for parallel jobs",
    "WantNameTag": "of ec2 jobs",
    "_container_port": "the end of NAME_container_port",
    "exit_requirements": "HTCondor no longer reads it",
    "memory_usage": "HTCondor does not read it",
    "send_credential": "HTCondor no longer reads it",
}
_TEXT = """\
# Submit commands

The commands of HTCondor 25.14, and what becomes of each here. `docs/commands.py` writes this page;
[condor_submit_description(5)](../man/man5/condor_submit_description.5) explains each command. That the ads of jobs are
those of HTCondor's own library is tested with thousands of descriptions (`tests/spec/submit`). What a command does
differently is in [differences](differences.md).

- **Done** means: the command does what it does in HTCondor.
- **Without effect** means: condor_submit accepts it and warns with the reason.
- **Refused** means: condor_submit ends with the reason, and no job is queued.

"""


def main(words: list[str]) -> int:
    """Return the exit status."""
    if words[:1] == ["-missing"] and len(words) == 2:
        missing = sorted(missing_of(Path(words[1]).read_text(encoding="utf-8")))
        print("\n".join(missing) or "nothing is missing")
        return 1 if missing else 0
    if words:
        print(__doc__, file=sys.stderr)
        return 1
    PAGE.write_text(page(), encoding="utf-8")
    return 0


def missing_of(header: str) -> set[str]:
    """The commands that HTCondor's header names and that the page does not explain."""
    names = re.findall(r'#define\s+SUBMIT_(?:KEY|CMD)_\w+\s+"([^"]+)"', header)
    known = {name.lower() for entry in entries() for name in entry.spellings} | {name.lower() for name in NO_COMMANDS}
    heads = tuple(entry.command.partition("<")[0].lower() for entry in entries() if "<" in entry.command[1:])
    return {name for name in names if name.lower() not in known and not name.lower().startswith(heads)}


def page() -> str:
    """The text of the page."""
    return _TEXT + "\n".join((*_summary(), *_reasons(), *_done(), *_others())) + "\n"


def refusal(entry: Entry) -> str:
    """Why condor_submit refuses the jobs that a command is for; "" where it does not."""
    return next((why for head, why in REFUSED.items() if entry.command.startswith(head)), "")


def _summary() -> Iterator[str]:
    yield from ("| commands | all | done | without effect | refused |", "|---|--:|--:|--:|--:|")
    groups = list(dict.fromkeys(entry.group for entry in entries()))
    for group in groups:
        yield _counts(group, [entry for entry in entries() if entry.group == group])
    yield _counts("**all**", list(entries()))


def _counts(name: str, found: list[Entry]) -> str:
    refused = sum(bool(refusal(entry)) for entry in found)
    nothing = sum(bool(entry.no_effect) for entry in found)
    return f"| {name} | {len(found)} | {len(found) - refused - nothing} | {nothing} | {refused} |"


def _reasons() -> Iterator[str]:
    yield from ("", "## Without effect", "", "| command | why |", "|---|---|")
    yield from (f"| {_names(entry)} | {entry.no_effect} |" for entry in entries() if entry.no_effect)
    yield from ("", "## Refused", "", "| command | why |", "|---|---|")
    for head, why in REFUSED.items():
        yield f"| {', '.join(_names(entry) for entry in entries() if entry.command.startswith(head))} | {why} |"


def _done() -> Iterator[str]:
    yield from ("", "## Done", "", "| commands | |", "|---|---|")
    for group in dict.fromkeys(entry.group for entry in entries()):
        done = [entry for entry in entries() if entry.group == group and not entry.no_effect and not refusal(entry)]
        yield f"| {group} | {', '.join(map(_names, done))} |"


def _others() -> Iterator[str]:
    yield from ("", "## Names that are no commands", "", "| name in HTCondor's table | |", "|---|---|")
    yield from (f"| `{name}` | {why} |" for name, why in NO_COMMANDS.items())


def _names(entry: Entry) -> str:
    return " = ".join(f"`{name}`" for name in entry.spellings)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
