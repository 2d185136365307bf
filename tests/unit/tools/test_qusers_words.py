"""condor_qusers: what is asked of the schedd by each command line, and which records are shown."""

from __future__ import annotations

import pytest
from tool_runner import Spool

from condor_py.cli import qusers
from condor_py.cli.options import UsageError, parse
from condor_py.cli.qusers import _named, _requests, _Wish
from condor_py.core.jobs.userrecs import UPDATE
from condor_py.model.errors import CondorError

SPEC = qusers.SPECS[0]
BACK = (("MaxJobsRunning", "undefined"), ("Enabled", "true"), (UPDATE, "true"))


def asked(line: str) -> tuple[str, str, list[tuple[object, ...]]]:
    """Return the action of the schedd, its name in messages, and each request: name, constraint, edits, made anew."""
    wish = _Wish(parse(SPEC, line.split()))
    qusers._check(wish)
    named = _named(wish)
    return wish.request, named, [tuple(request) for request in _requests(wish, named)]


@pytest.mark.parametrize(
    ("line", "request_", "named", "requests"),
    [
        ("-add ann bob", "enable", "add", [("ann", None, (), True), ("bob", None, (), True)]),
        ("add ann", "enable", "add", [("ann", None, (), True)]),
        ("-enable ann", "enable", "enable", [("ann", None, (), False)]),
        ("-add -enable ann", "enable", "add", [("ann", None, (), True)]),
        ("-enable -user ann", "enable", "enable", [("ann", None, (), False)]),
        ("-disable ann -reason x", "disable", "disable", [("ann", None, (), False)]),
        ("Disable ann", "disable", "disable", [("ann", None, (), False)]),
        ("-suspend ann", "disable", "suspend", [("ann", None, (("MaxJobsRunning", "0"),), False)]),
        ("-unsuspend ann", "enable", "unsuspend", [("ann", None, BACK, False)]),
        ("-unsuspend -constraint true", "enable", "unsuspend", [(None, "true", BACK, False)]),
        ("-projects -unsuspend p", "enable", "enable", [("p", None, (), False)]),
        ("-remove ann -reason x", "remove", "remove", [("ann", None, (), False)]),
        *((f"{word} ann", "remove", "remove", [("ann", None, (), False)]) for word in ("-rm", "-del", "rm", "delete")),
        ("-remove -constraint A>1", "remove", "remove", [(None, "A>1", (), False)]),
        ("-edit ann A=1 B=x==2", "edit", "edit", [("ann", None, (("A", "1"), ("B", "x==2")), False)]),
        ("edit A=1 ann bob", "edit", "edit", [(name, None, (("A", "1"),), False) for name in ("ann", "bob")]),
        ("-disable ann A=1", "disable", "suspend", [("ann", None, (("A", "1"),), False)]),
        ("-disable enable", "disable", "disable", [("enable", None, (), False)]),
    ],
)  # fmt: skip
def test_requests(line: str, request_: str, named: str, requests: list[tuple[object, ...]]) -> None:
    """With an action, further words are names, whatever they are."""
    assert asked(line) == (request_, named, requests)


@pytest.mark.parametrize(
    ("line", "said", "code"),
    [
        ("-daily", "Error: -daily is not supported: no statistics by hour and day are kept", 1),
        ("-long -af Name", "Error: -long cannot be used with -format or -af", 1),
        ("-long -format %s Name", "Error: -long cannot be used with -format or -af", 1),
        ("-reset ann", "Unsupported command reset: -edit MaxJobsRunning=delete removes the limit", 1),
        ("A=1", "<attr>=<expr> arguments only work with -edit, -suspend and -unsuspend", 2),
        ("-remove ann A=1", "<attr>=<expr> arguments only work with -edit, -suspend and -unsuspend", 2),
        ("-reason x ann", "-reason argument can only be used with -disable or -remove argument", 1),
        ("-enable ann -reason x", "-reason argument can only be used with -disable or -remove argument", 1),
        ("-edit ann A=1 -reason x", "-reason argument can only be used with -disable or -remove argument", 1),
        ("-constraint (", "Error: invalid constraint expression: (", 1),
        ("-edit A=1", "Error: no name or constraint - don't know which users or projects to edit", 1),
        ("-edit", "Error: -edit needs the attributes to change, as ATTR=EXPR", 1),
        ("-enable", "Error: enable users - no names specified", 1),
        ("-enable -constraint true", "Error: enable users - no names specified", 1),
        ("-projects -remove", "Error: remove projects - no names specified", 1),
        ("-edit ann 5=1", "Error: not a valid classad assignment: 5=1", 1),
        ("-edit ann B = 2", "Error: not a valid classad assignment: =", 1),
        ("-edit ann A=(", "Error: not a valid classad assignment: A=(", 1),
        ("-add -remove ann", "", 1),
        ("-remove -disable ann", "", 1),
    ],
)
def test_what_is_refused(line: str, said: str, code: int) -> None:
    with pytest.raises(CondorError) as refused:
        asked(line)
    assert str(refused.value) == said
    if isinstance(refused.value, UsageError):
        assert refused.value.exit_code == code


@pytest.mark.parametrize(
    ("words", "both", "kind"),
    [("", False, "Owner"), ("-projects", False, "Project"), ("-projects:also", True, "Project"),
     ("-projects:A", True, "Project"), ("-projects:al", True, "Project"), ("-projects:alsox", False, "Project")],
)  # fmt: skip
def test_kinds_of_records(words: str, both: bool, kind: str) -> None:
    wish = _Wish(parse(SPEC, words.split()))
    assert (wish.both, wish.kind, wish.what) == (both, kind, "projects" if kind == "Project" else "users")


@pytest.fixture
def users(spool: Spool) -> Spool:
    spool.add(1, 2, "zoe", ProjectName='"optics"')
    spool.add(2, 1, "ann")
    assert spool.run("condor_qusers", "-add", "zoe", "ann", "bob").code == 0
    assert spool.run("condor_qusers", "-projects", "-add", "optics").code == 0
    return spool


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("", ["ann", "bob", "zoe"]),
        ("ANN", ["ann"]),
        ("zoe@EXAMPLE.net bob", ["bob", "zoe"]),
        ("nobody", []),
        ("query ann", ["ann"]),
        ("-constraint NumIdle>0", ["ann", "zoe"]),
        ("-constraint NumIdle>1 ann zoe", ["zoe"]),
        ("-projects", ["optics"]),
        ("-projects Optics", ["optics"]),
        ("-projects:also", ["ann", "bob", "optics", "zoe"]),
    ],
)
def test_records_that_are_shown(users: Spool, words: str, shown: list[str]) -> None:
    out = users.run(
        "condor_qusers", *words.split(), "-format", "%s\n", "ifThenElse(Owner isnt undefined, Owner, Name)"
    ).out
    assert out.split() == shown


def test_figures_of_tables(users: Spool) -> None:
    users.run(
        "condor_qusers", "-edit", "zoe", "TotalCompletedJobs=3", "CompletedJobsSlotTime=90061", "TotalRemovedJobs=4"
    )
    lines = [line.split() for line in users.run("condor_qusers", "-usage").out.splitlines()]
    assert lines[0] == [
        "USER", "Completed", "SlotTime", "CpuTime", "Removed", "RmvdCpuTime", "RmvdSlotTime", "Pending", "Idle",
        "Running", "Held",
    ]  # fmt: skip
    assert lines[3] == ["zoe@example.net", "3", "1+01:01:01", "4", "0", "2", "0", "0"]
    table = [line.split() for line in users.run("condor_qusers").out.splitlines()]
    assert table[3] == ["zoe@example.net", "zoe", "yes", "default", "2", "0", "0", "4", "3"]
    projects = [line.split() for line in users.run("condor_qusers", "-projects", "-usage").out.splitlines()]
    assert (projects[0][:2], projects[1]) == (["NAME", "Completed"], ["optics", "0", "0", "0", "2", "0", "0"])


def test_mistakes_in_columns(users: Spool) -> None:
    for words, said in (
        (("-format", "%s", "("), "Error: -format arg '(' is not a valid expression"),
        (("-af", "A", "(", ")"), "Error: -autoformat arg '(' is not a valid expression"),
        (("-aaf", "A", "("), "Error: -aaf arg '(' is not a valid expression"),
        (("-aaf:Vr", "A"), "Error: Vr is invalid -aaf format qualifier. only one of V,r,T, or Y is permitted."),
        (("-aaf:h", "A"), "Error: h is invalid -aaf format qualifier. only one of V,r,T, or Y is permitted."),
    ):
        done = users.run("condor_qusers", *words)
        assert (done.err.splitlines()[0], done.code) == (said, 2)
    assert users.run("condor_qusers", "-aaf:V", "Owner").out.splitlines()[1].split()[-1] == '"ann"'


def test_answers_of_the_schedd(users: Spool) -> None:
    raw = users.run("condor_qusers", "-disable", "ann", "-raw").out.splitlines()
    assert raw[0] == "disable succeeded: "
    names = [line.split()[0] for line in raw[1:]]
    assert "ErrorString" not in names
    assert names == sorted(names, key=str.lower)
    assert all(line.startswith("    ") for line in raw[1:])
    done = users.run("condor_qusers", "-projects:also", "-remove", "optics")
    assert done.err.splitlines()[0] == "Error: remove failed - -projects:also is not implemented"
    verbose = users.run("condor_qusers", "-verb", "-af", "Owner").out.splitlines()
    assert verbose[0].startswith("Schedd ")
    assert verbose[1:] == ["ann", "bob", "zoe"]
