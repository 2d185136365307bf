"""How routing tables are read, in both syntaxes."""

from __future__ import annotations

import pytest

from condor_py.cli.router.info import shown_table
from condor_py.core.routes.table import RoutingTable, is_met
from condor_py.lang.classad import ClassAd
from condor_py.model.settings.router import RouterSettings

PRE = (
    "\n   # a comment\n   SET PeriodicRemove = JobStatus == 5 || \\\n       (JobStatus == 1 && QDate > 3600*6)\n"
    "   DELETE WantJobRouter\n"
)


def table(*routes: tuple[str, str], **settings: object) -> RoutingTable:
    given = {"constraint": "true", "order": tuple(name for name, _ in routes), "routes": routes, **settings}
    return RoutingTable.read(RouterSettings(**given))  # type: ignore[arg-type]


def test_what_is_shown_is_what_the_original_shows() -> None:
    found = table(
        ("Van", '  NAME Something\n  UNIVERSE vanilla\n  MaxJobs = $(LIMIT)\n  REQUIREMENTS Owner == "bob"\n  SET X 1'),
        ("Grid", 'GridResource = "batch slurm"\nMaxIdleJobs = 2*3'),
        transforms=(("Defaults", PRE), ("P", "REQUIREMENTS X =!= undefined\nSET Post 1")),
        pre_route=("Defaults",), post_route=("P",), default_max_jobs=200, macro={"LIMIT": "7"}.get,
    )  # fmt: skip
    assert shown_table(found) == (
        "Pre-Route Transform : Defaults\n\tNAME Defaults\n"
        "\tSET PeriodicRemove = JobStatus == 5 || (JobStatus == 1 && QDate > 3600*6)\n\tDELETE WantJobRouter\n\n"
        "Post-Route Transform : P\n\tNAME P\n\tREQUIREMENTS X =!= undefined\n\tSET Post 1\n\n"
        'Route 1\nName         : "Van"\nSource       : Van\nUniverse     : 5\nMaxJobs      : 7\nMaxIdleJobs  : 50\n'
        'GridResource : \nRequirements : Owner == "bob"\n\tNAME Van\n\tUNIVERSE VANILLA\n'
        '\tREQUIREMENTS Owner == "bob"\n\tMaxJobs = $(LIMIT)\n\tSET X 1\n\n'
        'Route 2\nName         : "Grid"\nSource       : Grid\nUniverse     : 9\nMaxJobs      : 200\nMaxIdleJobs  : 6\n'
        'GridResource : batch slurm\nRequirements : \n\tNAME Grid\n\tUNIVERSE GRID\n\tGridResource = "batch slurm"\n'
        "\tMaxIdleJobs = 2*3\n\n"
    )


OLD = """
/* a comment */ [ Name = "Old One"; GridResource = "batch pbs"; MaxJobs = 5; Requirements = TARGET.Want =?= "a ] b";
  set_A = 1; copy_Foo = "Bar"; delete_Gone = true; eval_set_E = Base + 1; Base = 2; ]
[ GridResource = "condor s p"; Requirements = true; TargetUniverse = 9 ] // the end ]
"""


def test_the_syntax_of_class_ads() -> None:
    settings = {"order": None, "routes": (), "old": (("JOB_ROUTER_ENTRIES", OLD),), "old_defaults": "MaxIdleJobs = 9"}
    found = table(**settings)  # type: ignore[arg-type]
    routes = found.routes.values()
    assert [(route.name, route.max_jobs, route.max_idle_jobs, route.grid_resource) for route in routes] == [
        ("Old_One", 5, 9, "batch pbs"), ("condor_s_p", 100, 9, "condor s p"),
    ]  # fmt: skip
    first = next(iter(found.routes.values()))
    assert is_met(first.requirements, ClassAd('[ Want = "a ] b" ]'))
    assert [line for line in first.lines() if not line.startswith(("MaxIdle", "NAME"))] == [
        "UNIVERSE GRID", 'REQUIREMENTS Want =?= "a ] b"', "Base = 2", 'GridResource = batch pbs', "MaxJobs = 5",
        "COPY Foo Bar", "DELETE Gone", "SET A 1", "SET Base 2", "EVALSET E Base + 1", "DELETE Base",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("override", "expected"),
    [("", (3, 7)), ("OverrideRoutingEntry = true;", (3, 50)), ("OverrideRoutingEntry = false;", (2, 7))],
)
def test_two_entries_of_one_name(override: str, expected: tuple[int, int]) -> None:
    first = '[ Name = "A"; GridResource = "batch pbs"; MaxJobs = 2; MaxIdleJobs = 7; Requirements = true ]'
    second = f'[ Name = "a"; {override} MaxJobs = 3; Requirements = true; GridResource = "batch lsf" ]'
    found = table(order=None, routes=(), old=(("JOB_ROUTER_ENTRIES", first), ("JOB_ROUTER_ENTRIES_FILE", second)))
    route = found.routes["a"]
    assert (route.max_jobs, route.max_idle_jobs) == expected


def test_old_entries_are_chosen_by_the_names() -> None:
    found = table(order=("A",), routes=(), old=(("JOB_ROUTER_ENTRIES", '[Name="A";GridResource="x"][Name="B"]'),))
    assert list(found.routes) == ["a"]
    assert "Routes not in JOB_ROUTER_ROUTE_NAMES will be disabled: B" in found.notes


@pytest.mark.parametrize(
    ("name", "text", "note"),
    [
        ("A", "REQUIREMENTS Foo ==", "JOB_ROUTER_ROUTE_A: invalid REQUIREMENTS : Foo =="),
        ("A", "UNIVERSE nowhere", "nowhere is not a universe"),
        ("A", "MaxJobs = many", "MaxJobs: many is not a number"),
        ("A", "JobFailureTest = ((", "JOB_ROUTER_ROUTE_A:"),
        ("A", "if true\nSET A 1", "JOB_ROUTER_ROUTE_A:"),
        ("A", "UNIVERSE 5\nFROBNICATE x", "JOB_ROUTER_ROUTE_A: line 2: FROBNICATE is not a valid transform keyword"),
    ],
)
def test_a_route_that_cannot_be_understood_is_left_out(name: str, text: str, note: str) -> None:
    found = table((name, text), ("Good", "UNIVERSE 5"))
    assert list(found.routes) == ["good"]
    assert any(note in line for line in found.notes), found.notes


def test_jobs_are_chosen_by_somebody() -> None:
    found = table(("A", "UNIVERSE 5"), ("B", "UNIVERSE 5\nREQUIREMENTS true"), constraint="")
    assert list(found.routes) == ["b"]
    assert "CONFIGURATION ERROR: Missing Requirements in job route A." in found.notes


def test_a_transform_that_is_broken_disables_all() -> None:
    found = table(("A", "UNIVERSE 5"), transforms=(("P", "REQUIREMENTS ("),), pre_route=("P",))
    assert not found.enabled


def test_what_is_not_followed_is_told() -> None:
    found = table(("A", "UNIVERSE 5\nJobShouldBeSandboxed = true"))
    assert "WARNING: A: JobShouldBeSandboxed is not supported and ignored." in found.notes
