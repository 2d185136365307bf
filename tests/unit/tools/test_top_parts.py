"""The parts of condor_top: cells and orders of its tables, moves of its cursor, lines of its picture, run times."""

from __future__ import annotations

import pytest
from top_world import Jobs, job, snapshot, type_keys

from condor_py.cli.top import runtimes
from condor_py.cli.top.columns import JOBS, PANELS, SLOTS, USERS, Column, heading, line
from condor_py.cli.top.picture import _KEYS, _shared, heights, picture, plain, whole
from condor_py.cli.top.rows import LETTERS, JobRow, Part, SlotRow, UserRow
from condor_py.cli.top.state import JOBS_PANEL, SLOTS_PANEL, USERS_PANEL, State, entries
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus

USER = UserRow("ann", 1234.567, 2.5, 0.126, None, 3, 4, 5)
SLOT = SlotRow("slot1_2", "Claimed", "Busy", 1.0, 2048, 2, 0.256, "ann@x", "7.0", 93784)
JOB = JobRow(JobId(7, 3), "ann", JobStatus.HELD, 3600, 2, 77, "slot1_2", "sleep 60", "why")

# ---- cells --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "row", "cells"),
    [
        (USERS, USER, ["ann", "1234.57", "2.5", "13%", "-", "3", "4", "5"]),
        (USERS, USER._replace(priority=None, slots=2.0, share=0.0, entitled=1.0), ["ann", "-", "2", "0%", "100%", "3",
                                                                                  "4", "5"]),
        (USERS, USER._replace(slots=1000.4), ["ann", "1234.57", "1000", "13%", "-", "3", "4", "5"]),
        (USERS, USER._replace(slots=999.4), ["ann", "1234.57", "999.4", "13%", "-", "3", "4", "5"]),
        (SLOTS, SLOT, ["slot1_2", "Claimed/Busy", "1", "2048", "2", "0.26", "ann@x", "7.0", "1+02:03:04"]),
        (SLOTS, SLOT._replace(seconds=-5), ["slot1_2", "Claimed/Busy", "1", "2048", "2", "0.26", "ann@x", "7.0",
                                            "0+00:00:00"]),
        (JOBS, JOB, ["7.3", "ann", "H", "0+01:00:00", "2", "77", "slot1_2", "sleep 60"]),
        (JOBS, JOB._replace(status=99), ["7.3", "ann", "?", "0+01:00:00", "2", "77", "slot1_2", "sleep 60"]),
    ],
)  # fmt: skip
def test_cells(columns: tuple[Column, ...], row: object, cells: list[str]) -> None:
    assert [column.cell(row) for column in columns] == cells


def test_letters_of_states_are_those_of_condor_q() -> None:
    assert {int(state): letter for state, letter in LETTERS.items() if state <= 7} == {
        1: "I", 2: "R", 3: "X", 4: "C", 5: "H", 6: ">", 7: "S",
    }  # fmt: skip


def test_a_row_fills_the_screen_and_cuts_what_is_too_long() -> None:
    assert (
        line(JOBS, JOB, 80)
        == ("7.3        ann         H 0+01:00:00    2     77 slot1_2   sleep 60               "[:80])
    )
    assert len(line(USERS, USER, 100)) == 100
    assert line(JOBS, JOB._replace(owner="a_very_long_owner"), 80)[11:22] == "a_very_lon "
    assert line(JOBS, JOB, 40) == "7.3        ann         H 0+01:00:00    2"
    assert line(JOBS, JOB._replace(command="x\ty"), 80).rstrip().endswith("x?y")


@pytest.mark.parametrize(
    ("at", "backwards", "title"),
    [
        (0, False, "SLOT^ "), (0, True, "SLOTv "), (2, False, " CPUv"), (2, True, " CPU^"), (8, False, "    TIMEv"),
        (1, False, " STATE^ "), (6, False, " USER^ "), (-1, False, "SLOT  "),
    ],
)  # fmt: skip
def test_an_arrow_tells_what_rows_are_sorted_by(at: int, backwards: bool, title: str) -> None:
    """Down where the largest is first; the title of a narrow column gives its last letter up."""
    shown = heading(SLOTS, 80, at, backwards)
    assert title in shown
    assert len(shown) == 80
    assert (shown.count("^") + shown.count("v")) == (at >= 0)


# ---- orders -------------------------------------------------------------------------------------------------------


def sorted_by(panel: int, title: str, backwards: bool = False) -> list[str]:
    """The names of the rows of a table of three users or slots."""
    users = [
        UserRow("bob", 5.0, 1.0, 0.2, None, 1, 9, 0), UserRow("ann", None, 3.0, None, 0.5, 2, 8, 7),
        UserRow("eve", 2.0, 2.0, 0.1, 0.1, 3, 7, 7),
    ]  # fmt: skip
    slots = [
        SlotRow("slot1_10", "Claimed", "Busy", 1.0, 30, 0, 0.1, "bob", "9.0", 5),
        SlotRow("slot1_2", "Claimed", "Idle", 2.0, 20, 2, 0.3, "ann", "8.0", 7),
        SlotRow("slot1", "Owner", "Idle", 3.0, 10, 1, 0.2, "", "", 6),
    ]
    sorts = list(State().sorts)
    sorts[panel] = next(at for at, column in enumerate(PANELS[panel][1]) if column.title == title), backwards
    found = entries(panel, State(sorts=tuple(sorts)), snapshot(users=users, slots=slots))
    return [row.name for row in found if isinstance(row, (UserRow, SlotRow))]


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("USER", "ann bob eve"), ("PRIO", "ann eve bob"), ("SLOTS", "ann eve bob"), ("SHARE", "bob eve ann"),
        ("ENTITLED", "ann eve bob"), ("RUN", "eve ann bob"), ("IDLE", "bob ann eve"), ("HELD", "ann eve bob"),
    ],
)  # fmt: skip
def test_orders_of_users(title: str, names: str) -> None:
    assert sorted_by(USERS_PANEL, title) == names.split()


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("SLOT", "slot1 slot1_2 slot1_10"), ("STATE", "slot1_10 slot1_2 slot1"), ("CPUS", "slot1 slot1_2 slot1_10"),
        ("MEM", "slot1_10 slot1_2 slot1"), ("GPUS", "slot1_2 slot1 slot1_10"), ("LOAD", "slot1_2 slot1 slot1_10"),
        ("USER", "slot1 slot1_2 slot1_10"), ("JOB", "slot1 slot1_2 slot1_10"), ("TIME", "slot1_2 slot1 slot1_10"),
    ],
)  # fmt: skip
def test_orders_of_slots(title: str, names: str) -> None:
    assert sorted_by(SLOTS_PANEL, title) == names.split()
    assert sorted_by(SLOTS_PANEL, title, backwards=True) == names.split()[::-1]


@pytest.mark.parametrize(
    ("panel", "text", "names"),
    [
        (USERS_PANEL, "A", ["ann"]), (USERS_PANEL, "500", []), (SLOTS_PANEL, "BUSY", ["slot1_1", "slot1_2"]),
        (SLOTS_PANEL, "ann", ["slot1_1"]), (SLOTS_PANEL, "7.0", []), (SLOTS_PANEL, "_2", ["slot1_2"]),
    ],
)  # fmt: skip
def test_rows_with_a_text_in_their_names(panel: int, text: str, names: list[str]) -> None:
    """Numbers are not searched."""
    users = [UserRow("ann", 500.0, 1.0, None, None, 0, 0, 0), UserRow("bob", 1.0, 1.0, None, None, 0, 0, 0)]
    slots = [SLOT._replace(name="slot1_1", user="ann"), SLOT._replace(name="slot1_2", user="bob")]
    found = entries(panel, State(filter=text), snapshot(users=users, slots=slots))
    assert [row.name for row in found if isinstance(row, (UserRow, SlotRow))] == names


# ---- keys ---------------------------------------------------------------------------------------------------------

MANY = snapshot(*(job(number) for number in range(1, 101)))


def cursor_after(*keys: str) -> JobId:
    state, _ = type_keys(State(), MANY, *keys)
    key = state.cursors[JOBS_PANEL].key
    assert isinstance(key, JobId)
    return key


def test_a_page_is_as_high_as_the_table() -> None:
    """Of 24 lines 3 are above, 2 below and 3 headings; 2 users and 3 slots leave 11 to the jobs."""
    assert heights(State(), MANY, 24) == (2, 3, 11)
    assert cursor_after("pgdn").cluster == 12
    assert cursor_after("pgdn", "pgdn", "pgup").cluster == 12
    assert cursor_after("end", "pgup").cluster == 89
    assert cursor_after("down", "pgup").cluster == 1


def test_keys_that_change_the_view() -> None:
    state, _ = type_keys(State(), MANY, "+")
    assert (state.delay, state.message) == (4.0, "Every 4 seconds.")
    assert [type_keys(State(), MANY, *["-"] * count)[0].delay for count in (1, 2, 3)] == [1.0, 0.5, 0.5]
    assert type_keys(State(), MANY, *["+"] * 20)[0].delay == 3600.0
    assert [type_keys(State(), MANY, key)[0].panel for key in ("tab", "btab")] == [USERS_PANEL, SLOTS_PANEL]
    for key, name in (("z", "zoomed"), ("p", "paused"), ("u", "mine")):
        assert getattr(type_keys(State(), MANY, key)[0], name) is True
        assert getattr(type_keys(State(), MANY, key, key)[0], name) is False
    assert [type_keys(State(), MANY, key)[0].sorts[JOBS_PANEL] for key in ("s", ">", "<", "S")] == [
        (3, False), (3, False), (1, False), (2, True),
    ]  # fmt: skip
    assert type_keys(State(), MANY, "S", "s")[0].sorts[JOBS_PANEL] == (3, False)
    assert type_keys(State(), MANY, *["s"] * 6)[0].sorts[JOBS_PANEL] == (0, False)
    assert cursor_after("down", "down", "s").cluster == 1
    assert type_keys(State(), MANY, "f1")[0].mode == "help"
    assert "q" not in type_keys(State(), MANY, "k")[0].message


def test_a_filter_is_typed() -> None:
    state, _ = type_keys(State(), MANY, "/", "s", "l", "backspace", "space", "tab", "enter")
    assert (state.mode, state.filter) == ("", "s ")
    state, _ = type_keys(state, MANY, "/")
    assert (state.mode, state.typed) == ("filter", "s ")
    state, _ = type_keys(state, MANY, "esc")
    assert (state.mode, state.typed, state.filter) == ("", "", "")
    state, _ = type_keys(State(filter="x", tagged=frozenset({JobId(1, 0)})), MANY, "esc")
    assert (state.filter, state.tagged) == ("", frozenset())


def test_tags_go_on_and_off_and_the_cursor_goes_down() -> None:
    state, _ = type_keys(State(), MANY, "space", "space", "up", "space")
    assert state.tagged == {JobId(1, 0)}
    assert state.cursors[JOBS_PANEL].key == JobId(3, 0)
    state, _ = type_keys(State(panel=SLOTS_PANEL), MANY, "space")
    assert state.message == "Jobs can be tagged: go to their table with Tab."


# ---- the picture --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "room", "focused", "given"),
    [
        ([2, 3, 100], 16, 2, (2, 3, 11)), ([50, 50, 50], 20, 2, (5, 5, 10)), ([50, 50, 50], 20, 0, (10, 5, 5)),
        ([1, 1, 1], 20, 1, (1, 18, 1)), ([50, 50, 50], 4, 2, (1, 0, 3)), ([0, 0, 0], 5, 0, (5, 0, 0)),
        ([50, 50, 2], 16, 2, (10, 4, 2)), ([9, 9, 9], 0, 2, (0, 0, 0)),
    ],
)  # fmt: skip
def test_lines_are_dealt_out_to_the_tables(counts: list[int], room: int, focused: int, given: tuple[int, ...]) -> None:
    """Three or a quarter for each, the rest for the one with the keys, then for those that need more."""
    assert _shared(counts, room, focused) == given


def drawn(state: State, **changes: object) -> list[str]:
    return plain(picture(state, snapshot(job(1), **changes), 80, 24)).splitlines()


def test_the_lines_above_the_tables() -> None:
    assert drawn(State(mine=True, filter="x"))[0].endswith("load 0.50 0.25 0.10  [only alice, filter: x]")
    assert drawn(State(paused=True))[0].endswith("  [paused]")
    assert drawn(State(), cpus=Part(9, 4), memory=Part(0, 0))[1] == (
        "Cpus [|||||||||||||||||||] 9/4   Mem [                   ] 0.0/0.0 GB"
    )
    assert drawn(State(), gpus=Part(1.5, 2))[1] == ("Cpus [|||| ] 3/4   Mem [     ] 0.4/7.8 GB   GPUs [|||| ] 1.5/2")
    states = [JobStatus.RUNNING] * 2 + [JobStatus.IDLE, JobStatus.HELD, JobStatus.SUSPENDED]
    states += [JobStatus.TRANSFERRING_OUTPUT, JobStatus.BLOCKED, JobStatus.REMOVED, JobStatus.COMPLETED]
    jobs = Jobs([job(number, status=state) for number, state in enumerate(states)])
    assert drawn(State(), jobs=jobs)[2] == (
        "Jobs 9: 2 running, 1 idle, 1 held, 1 suspended, 1 transferring output, 1 blocked"
    )
    assert drawn(State(), jobs=Jobs([]), slots=[SLOT, SLOT._replace(state="Owner")])[2] == "Jobs 0   Slots 2: 1 claimed"


def test_the_lines_below_the_tables() -> None:
    assert drawn(State())[-1] == _KEYS[:80].rstrip()
    assert drawn(State(message="Every 4 seconds."))[-1] == "Every 4 seconds."
    assert drawn(State(mode="filter", typed="ab"))[-1].startswith("Show only what has: ab_   (Enter keeps it")
    assert drawn(State(mode="confirm", message="Hold job 1.0? (y/n)"))[-1] == "Hold job 1.0? (y/n)"
    assert drawn(State(mode="help"))[0] == "condor_top: keys"
    assert drawn(State(), problem="no master")[-2] == "no master"


def test_empty_tables_say_so_and_tags_are_marked() -> None:
    for panel, text in ((USERS_PANEL, "no users"), (SLOTS_PANEL, "no slots"), (JOBS_PANEL, "no jobs")):
        assert f" {text}" in drawn(State(panel=panel, zoomed=True), users=[], slots=[], jobs=Jobs([]))
    assert any(text.startswith("*1.0 ") for text in drawn(State(tagged=frozenset({JobId(1, 0)}))))


def test_styles_tell_what_matters() -> None:
    slots = [SLOT, SLOT._replace(name="s2", activity="Idle", state="Unclaimed")]
    slots.append(SLOT._replace(name="s3", activity="Idle"))
    users = [
        UserRow("u1", 1.0, 1.0, 0.2, 0.5, 0, 1, 0), UserRow("u2", 1.0, 1.0, 0.2, 0.5, 0, 0, 0),
        UserRow("u3", 1.0, 1.0, 0.496, 0.5, 0, 1, 0), UserRow("u4", 1.0, 1.0, None, 0.5, 0, 1, 0),
        UserRow("u5", 1.0, 1.0, 0.2, None, 0, 1, 0),
    ]  # fmt: skip
    jobs = Jobs([job(1, status=JobStatus.TRANSFERRING_OUTPUT), job(2, status=JobStatus.SUSPENDED)])
    shown = whole(State(), snapshot(users=users, slots=slots, jobs=jobs), 80)
    styles = {pieces[0][0].split()[0]: pieces[0][1] for pieces in shown if pieces and pieces[0][0].strip()}
    names = ("u1", "u2", "u3", "u4", "u5", "slot1_2", "s2", "s3", "1.0", "2.0")
    assert [styles[name] for name in names] == ["warn", "", "", "warn", "", "good", "dim", "warn", "good", ""]


# ---- run times of daemons -----------------------------------------------------------------------------------------


def stats(at: int, **more: float) -> ClassAd:
    return ClassAd({"MyCurrentTime": at, **more})


OLD = stats(1000, DaemonStartTime=500, StatsLifetime=490, Work=10, WorkRuntime=5.0)
NEW = stats(1100, DaemonStartTime=500, StatsLifetime=590, Work=30, WorkRuntime=15.0, WorkRuntimeAvg=0.4,
            WorkRuntimeMax=1.0, WorkRuntimeMin=0.2, WorkRuntimeStd=0.05, DCSocketRuntime=1.0, DCPipeRuntime=1.0,
            Runtime=5.0, SCGetAutoCluster_cchitRuntime=1.0, Plain=3)  # fmt: skip


def test_the_figures_of_a_subprocess() -> None:
    """Twenty calls took 10 seconds in 100."""
    assert runtimes.timed(NEW) == ["Work"]
    (row,) = runtimes.rows(OLD, NEW, [])
    assert row == pytest.approx({
        "Item": "Work", "TotalRt": 15.0, "InstRt": 10.0, "InstAvg": 0.5, "TotAvg": 0.4, "TotMax": 1.0, "TotMin": 0.2,
        "RtPctAvg": 125.0, "RtPctMax": 37.5, "RtSigmas": 2.0, "TotalCt": 30.0, "InstCt": 20.0, "InstRate": 0.2,
        "AvgRate": 30 / 590, "CtPctAvg": 100 * 0.2 / (30 / 590),
    })  # fmt: skip
    idle = runtimes.rows(NEW, stats(1200, DaemonStartTime=500, StatsLifetime=690, Work=30, WorkRuntime=15.0), [])[0]
    names = ("InstRt", "InstAvg", "CtPctAvg", "RtPctAvg", "InstRate")
    assert [idle[name] for name in names] == [0.0, None, None, None, 0.0]
    assert runtimes.rows(OLD, NEW, ["Plain"]) == [row]
    more = runtimes.rows(stats(1000, DCPlain=1), stats(1100, DCPlain=3), ["DCPlain"])[0]
    assert (more["Item"], more["TotalRt"], more["InstCt"], more["AvgRate"]) == ("Plain", None, 2.0, None)


@pytest.mark.parametrize(
    ("value", "least", "most", "part"),
    [
        (0.5, 0.0, 1.0, 50.0),
        (0.5, 0.5, 0.5, 100.0),
        (None, 0.0, 1.0, None),
        (0.5, None, 1.0, None),
        (0.5, 0.0, None, None),
    ],
)
def test_where_a_mean_is_in_its_range(
    value: float | None, least: float | None, most: float | None, part: float | None
) -> None:
    assert runtimes._of_range(value, least, most) == part


@pytest.mark.parametrize(
    ("wanted", "columns", "found"),
    [
        ("", "default", "InstRt"), ("", "count", "InstRate"), ("", "all", "InstRt"), ("totalrt", "count", "TotalRt"),
        ("ITEM", "default", "Item"), ("nosuch", "runtime", "InstRt"),
    ],
)  # fmt: skip
def test_what_a_table_is_sorted_by(wanted: str, columns: str, found: str) -> None:
    assert runtimes.sort_column(wanted, columns) == found


def test_a_table_has_the_largest_first_and_as_many_decimals_as_fit() -> None:
    rows = [runtimes.rows(OLD, NEW, [])[0] | {"Item": name, "InstRt": spent, "RtSigmas": spent} for name, spent in (
        ("small", 1.0), ("none", None), ("large", 1234.5))]  # fmt: skip
    lines = runtimes.table(rows, ("TotalCt", "InstRt", "RtSigmas", "Item"), "InstRt")
    assert lines == [
        "Total  Recent  Std", "Count Runtime Devs Name", "  (#)     (s)", "----- ------- ---- ----",
        "   30 1234.50 1234 large", "   30    1.00    1 small", "   30     n/a  n/a none",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ({"MyCurrentTime": 5}, {"MyCurrentTime": 5}, "same timestamp"),
        ({"MyCurrentTime": 6}, {"MyCurrentTime": 5}, "same timestamp"),
        ({"MyCurrentTime": 1, "DaemonStartTime": 1, "StatsLifetime": 1},
         {"MyCurrentTime": 5, "DaemonStartTime": 2, "StatsLifetime": 1}, "different start times"),
    ],
)  # fmt: skip
def test_ads_that_cannot_be_compared(old: dict[str, int], new: dict[str, int], error: str) -> None:
    with pytest.raises(CondorError, match=error):
        runtimes.span(ClassAd(old), ClassAd(new))


def test_the_time_between_two_ads_is_that_of_their_statistics() -> None:
    assert runtimes._times(OLD, NEW) == (990, 1090)
    assert runtimes._times(stats(1000), stats(1100)) == (1000, 1100)
    same = {"DaemonStartTime": 500, "StatsLifetime": 490}
    assert runtimes._times(stats(1000, **same), stats(1100, **same)) == (1000, 1100)


def test_the_duty_cycle_between_two_ads() -> None:
    """The daemon waited for 60 of 80 seconds, and took 25 commands in 100."""
    old = stats(1000, DCSelectWaittime=40.0, DCPumpCycleCount=5, DCPumpCycleSum=20.0, DCCommands=5)
    new = stats(1100, DCSelectWaittime=100.0, DCPumpCycleCount=9, DCPumpCycleSum=100.0, DCCommands=30)
    assert runtimes.between(old, new)[1:] == ["Duty Cycle: 25.00%    Ops/second: 0.250", ""]
    new["DCPumpCycleCount"] = 5
    new["RecentDaemonCoreDutyCycle"], new["RecentStatsLifetime"] = 0.125, 600
    new["DCCommandsPerSecond_20m"], new["DCCommandsPerSecond_4h"] = 1.5, 2.5
    assert runtimes.between(old, new)[1:] == ["Duty Cycle (last 600s): 12.50%    Ops/second (last 20m): 1.500", ""]
    assert runtimes.recent(stats(5))[1:] == ["", ""]


def test_the_daemon_itself() -> None:
    found = ClassAd({"MonitorSelfAge": 90061, "MonitorSelfSysCpuTime": 5, "MonitorSelfUserCpuTime": 65,
                     "MonitorSelfImageSize": 999.0, "MonitorSelfResidentSetSize": 1500000.0})  # fmt: skip
    assert runtimes.status("Schedd", "lab", found)[1:] == [
        "Uptime: 1 day, 1:01:01", "SysCpuTime: 0:00:05    UserCpuTime: 0:01:05", "Memory: 999.0 K    RSS: 1.5 G", "",
    ]  # fmt: skip
    assert runtimes._size(1000) == "1.0 M"
    assert runtimes._size(1e15) == "1000.0 P"
    assert runtimes.status("Schedd", "lab", ClassAd())[1:] == [""]
