"""condor_submit -interactive: a program that waits takes the place of the job's own (dry runs of HTCondor 25.14)."""

from __future__ import annotations

import pytest

from condor_py.lang.submit.build import clusters_of
from condor_py.model.copies import changed

KNOBS = (("interactive_executable", "/bin/sh"), ("interactive_args", "\"-c 'sleep 180'\""))
WAITS = {"Cmd": '"/bin/sh"', "Arguments": "\"-c sleep' '180\"", "TransferExecutable": "false"}
NAMES = ("Cmd", "OrigCmd", "Args", "OrigArgs", "Arguments", "OrigArguments", "TransferExecutable", "JobDescription")


def interactive(alice, text: str, defines: tuple[tuple[str, str], ...] = KNOBS) -> list[dict[str, str]]:
    """Of each job, the attributes that being interactive may change; ``interactive job`` left out."""
    file = alice.parse(text, defines=defines)
    (draft,) = clusters_of(file)
    made = draft.make(1, changed(alice.options, interactive=True))
    jobs = []
    for own in made.own:
        ad = dict(made.attributes.values()) | dict(own.values())
        jobs.append({name: ad[name] for name in NAMES if name in ad})
        if jobs[-1]["JobDescription"] == '"interactive job"':
            del jobs[-1]["JobDescription"]
    return jobs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {"OrigArguments": '""'}),
        ("executable = /bin/echo", {"OrigCmd": '"/bin/echo"', "OrigArguments": '""'}),
        ('arguments = "x y"', {"OrigArguments": '"x y"'}),
        ("arguments = x y", {"Args": '"x y"'}),
        ("executable = /bin/echo\ntransfer_executable = false", {"OrigArguments": '""'}),
        ("shell = echo hello", {"OrigArguments": '""'}),
        ("description = mine", {"OrigArguments": '""', "JobDescription": '"mine"'}),
        ("interactive_executable = /bin/cat", {"OrigArguments": '""', "Cmd": '"/bin/cat"'}),
        ("arguments = x\ninteractive_args = a b", {"OrigArgs": '"x"', "Args": '"a b"', "Arguments": None}),
        ("interactive_args = a b", {"OrigArguments": '""', "Arguments": '"a b"'}),
        ('interactive_args = "it\'s"', {"Arguments": '""'}),
    ],
)
def test_the_waiting_program_and_what_it_replaces(alice, text: str, expected: dict[str, str | None]) -> None:
    wanted = {name: value for name, value in {**WAITS, **expected}.items() if value is not None}
    assert interactive(alice, f"{text}\nqueue\n") == [wanted]


def test_exactly_one_job_whatever_the_queue_statement_says(alice) -> None:
    assert len(interactive(alice, "executable = /bin/echo\narguments = $(x)\nqueue 3 x in (a b c)\n")) == 1


def test_the_sites_own_description_is_taken_as_it_is(alice) -> None:
    text = 'executable = /bin/sleep\narguments = "5"\ntransfer_executable = false\nqueue\n'
    plain = {"Cmd": '"/bin/sleep"', "Arguments": '"5"', "TransferExecutable": "false"}
    assert interactive(alice, text, ()) == [plain]
