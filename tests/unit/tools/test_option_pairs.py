"""Each two options of a tool that ask for something: what they mean together, as tests/golden/options has it.

After a wanted change CONDOR_PY_RECORD=1 writes it again, and the difference is to be read.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from condor_py.cli.options import parse
from condor_py.cli.q.request import understand
from condor_py.cli.q.spec import SPEC as Q_SPEC
from condor_py.cli.status.modes import choose
from condor_py.cli.status.spec import SPEC as STATUS_SPEC
from condor_py.model.errors import CondorError

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "options"
OF_STATUS = (
    "-avail", "-claimed", "-cod", "-lvm", "-gpus", "-broken", "-health", "-startd", "-slots", "-schedd", "-data",
    "-run", "-submitters", "-master", "-collector", "-ckptsrvr", "-grid", "-license", "-storage", "-negotiator",
    "-defrag", "-generic", "-any", "-server", "-state", "-compact", "-nocompact", "-long", "-json", "-af Name",
    "-format %s Name", "-subsystem schedd", "-subsystem zork",
)  # fmt: skip
OF_Q = (
    "-batch", "-nobatch", "-run", "-hold", "-hold:12", "-hold:12/3", "-hold-codes", "-idle", "-cputime", "-currentrun",
    "-cumulative-time", "-grid", "-grid:ec2", "-io", "-dag", "-totals", "-autocluster", "-factory", "-jobset", "-long",
    "-xml", "-json", "-toml", "-af Owner", "-aaf Owner", "-format %s Owner", "-attributes A,B", "-wide", "-wide:50",
    "-limit 3", "-limit 0", "-submitter bea", "-constraint A>1", "-allusers", "-why", "-forecast", "-unmatchable",
    "-better-analyze", "7", "7.1", "ann",
)  # fmt: skip


def meaning(read: Callable[[list[str]], str], words: list[str]) -> str:
    """What words mean, or the first line of the error; with what was said."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            found = read(words)
        except CondorError as error:
            found = "E| " + str(error).strip().partition("\n")[0]
    return f"{found}{''.join(f' ({line})' for line in said.getvalue().splitlines())}"


def of_status(words: list[str]) -> str:
    chosen = choose(parse(STATUS_SPEC, words))
    assert chosen.mode is not None
    return f"{chosen.name} {chosen.mode.kind} {chosen.style.name}{' compact' if chosen.compact else ''}"


def of_q(words: list[str]) -> str:
    found = understand(parse(Q_SPEC, words))
    facts = {
        "rows": found.rows, "ids": found.ids, "users": found.users, "submitters": found.submitters,
        "constraints": found.constraints, "mine": found.my_jobs, "partial": found.partial, "filler": found.filler,
        "form": found.form, "ordered": found.ordered, "attributes": found.attributes, "limit": found.limit,
    }  # fmt: skip
    return f"{found.display} " + " ".join(
        f"{name}={value}" for name, value in facts.items() if value not in ((), None, "")
    )


@pytest.mark.parametrize(
    ("name", "options", "read"), [("condor_status", OF_STATUS, of_status), ("condor_q", OF_Q, of_q)]
)
def test_each_two_options(spool: object, name: str, options: tuple[str, ...], read: Callable[[list[str]], str]) -> None:
    lines = [f": {meaning(read, [])}"]
    lines += [f"{one}: {meaning(read, one.split())}" for one in options]
    alone = dict(zip(options, lines[1:], strict=True))
    for one in options:
        for other in options:
            told = meaning(read, [*one.split(), *other.split()])
            if told not in (alone[one].partition(": ")[2], alone[other].partition(": ")[2]) or one == other:
                lines.append(f"{one} {other}: {told}")
            else:
                which = one if told == alone[one].partition(": ")[2] else other
                lines.append(f"{one} {other}: as {which}")
    text = "\n".join(lines) + "\n"
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("CONDOR_PY_RECORD"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()
