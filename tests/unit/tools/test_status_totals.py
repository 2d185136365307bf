"""The totals under the tables of condor_status, and the compact rows and devices that they count."""

from __future__ import annotations

from tempfile import NamedTemporaryFile
from typing import Any

import pytest
from tool_runner import run

from condor_py.cli.output.ads import write_ads
from condor_py.cli.status import gpus
from condor_py.cli.status.modes import Style
from condor_py.cli.status.totals import Totals
from condor_py.lang.classad import ClassAd

LINUX = {"Arch": "X86_64", "OpSys": "LINUX", "OpSysAndVer": "Debian12"}


def slot(state: str = "Claimed", activity: str = "Busy", **attributes: Any) -> ClassAd:
    return ClassAd({"Name": "slot1@m", **LINUX, "State": state, "Activity": activity, **attributes})


def text_of(style: Style, *ads: ClassAd, compact: bool = False, fit: bool = False) -> str:
    totals = Totals(style, compact)
    for ad in ads:
        (totals.add_compact if compact else totals.add)(ad)
    return totals.text(fit)


def rows(style: Style, *ads: ClassAd, compact: bool = False) -> dict[str, list[str]]:
    """Return the columns of each row, by its key; that of what was left out counts as one."""
    lines = text_of(style, *ads, compact=compact).splitlines()[3:]
    found = {}
    for line in filter(str.strip, lines):
        key = line[:14].strip()
        found[key] = line[14:].split() if key else [line.strip()]
    return found


STATES = ("Owner", "Claimed", "Unclaimed", "Matched", "Preempting", "Drained", "Backfill")


def test_slots_by_state() -> None:
    """Each state has a column of its own: 1 slot of the first, 2 of the second and so on."""
    ads = [slot(state) for number, state in enumerate(STATES, 1) for _ in range(number)]
    assert text_of(Style.SLOTS, *ads, slot("Owner", Arch="aarch64")) == (
        "\n"
        "               Total Owner Claimed Unclaimed Matched Preempting  Drain Backfill BkIdle\n"
        "\n"
        "  X86_64/LINUX    28     1       2         3       4          5      6        7      0\n"
        " aarch64/LINUX     1     1       0         0       0          0      0        0      0\n"
        "\n"
        "         Total    29     2       2         3       4          5      6        7      0\n"
    )


def test_slots_by_activity() -> None:
    """The columns are in another order, and there is no number of all: HTCondor shows 0."""
    ads = [slot(state, "Idle") for number, state in enumerate(STATES, 1) for _ in range(number)]
    for style, end in ((Style.STATE, ""), (Style.GPUS, "\n")):
        assert (
            text_of(style, *ads)
            == (
                "\n"
                "               Total Owner Unclaimed Claimed Preempting Matched  Drain Backfill BkIdle\n"
                "\n"
                "          Idle     0     1         3       2          5       4      6        7      0\n"
                "\n"
                "         Total     0     1         3       2          5       4      6        7      0\n"
            )
            + end
        )


def test_what_lacks_something_is_counted_apart() -> None:
    odd = "(Omitted 3 malformed ads in computed attribute totals)"
    text = text_of(Style.SLOTS, slot(), slot("Odd"), slot(Arch=1), ClassAd({"State": "Claimed"}))
    assert text.endswith(f"\n\n{' ' * 14}{odd}\n\n")
    assert rows(Style.SLOTS, slot(), slot("Odd"), slot(OpSys=1))["Total"][:3] == ["1", "0", "1"]
    assert "Omitted" not in text_of(Style.SLOTS, slot())


def test_without_ads_there_is_one_line() -> None:
    lines = text_of(Style.SLOTS).splitlines()
    assert [line[:14].strip() for line in lines] == ["", "", "", "Total"]
    assert text_of(Style.MASTER, slot()) == "", "masters have no totals"


def test_the_first_column_is_as_wide_as_is_wanted() -> None:
    def width(**how: bool) -> int:
        return text_of(Style.SLOTS, slot(OpSys="LINUX" * 4), **how).index(" Total Owner") - 1

    assert width() == 14
    assert width(fit=True) == len("X86_64/") + 20
    narrow = text_of(Style.STATE, slot("Owner", "Busy"), fit=True)
    assert narrow.index(" Total Owner") - 1 == 5
    assert " Busy     0" in narrow
    long = {"OpSysAndVer": "Debian12andmuchmore"}
    assert text_of(Style.SLOTS, slot(**long), compact=True).index(" Total Owner") - 1 == len("x64/Debian12andmuchmore")
    assert text_of(Style.SLOTS, slot(OpSysAndVer="D"), compact=True).index(" Total Owner") - 1 == 14


def test_sizes_and_speeds() -> None:
    sizes: dict[str, Any] = {"Memory": 1024, "Disk": 5000, "Mips": 100, "KFlops": 20}
    ads = [slot("Claimed", **sizes), slot("Unclaimed", **sizes), slot("Owner", **sizes)]
    text = text_of(Style.SERVER, *ads)
    assert text.splitlines()[1].split() == ["Slots", "Avail", "Memory", "Disk", "MIPS", "KFLOPS"]
    assert rows(Style.SERVER, *ads)["Total"] == ["3", "2", "3072", "15000", "300", "60"]
    for name in sizes:
        less = slot("Owner", **{key: value for key, value in sizes.items() if key != name})
        shown = rows(Style.SERVER, ads[0], less)
        wanted = {"Memory": "2048", "Disk": "10000", "Mips": "200", "KFlops": "40", name: str(sizes[name])}
        assert shown["Total"] == ["2", "1", *wanted.values()], name
        assert shown[""] == ["(Omitted 1 malformed ads in computed attribute totals)"]
    stateless = ClassAd({**LINUX, **sizes})
    assert rows(Style.SERVER, stateless)["Total"] == ["0"] * 6


def test_load_of_claimed_slots() -> None:
    one, two = slot(Mips=10, KFlops=5, LoadAvg=0.5), slot(Mips=1, KFlops=2, LoadAvg=1.0)
    lines = text_of(Style.CLAIMED, one, two).splitlines()
    assert lines[1] == " " * 14 + " Machines         MIPS       KFLOPS   AvgLoadAvg"
    assert lines[-1] == "         Total        2           11            7   0.750"
    assert "Omitted" not in "".join(lines)
    for name in ("Mips", "KFlops", "LoadAvg"):
        told: dict[str, Any] = {key: 1 for key in ("Mips", "KFlops", "LoadAvg") if key != name}
        less = slot(**told)
        assert "Omitted 1 " in text_of(Style.CLAIMED, less), name
    assert rows(Style.CLAIMED)["Total"] == ["0", "0", "0", "0.000"]
    assert rows(Style.CLAIMED, one, slot(Mips=1, KFlops=1))["Total"] == ["2", "11", "6", "0.250"]


DAEMON = {**LINUX, "TotalSlots": 3, "TotalCpus": 8, "TotalGPUs": 2, "TotalMemory": 1000}


def test_use_of_machines() -> None:
    busy = {"TotalInUseCpus": 5, "TotalInUseGPUs": 1, "TotalBackfillInUseCpus": 4, "TotalBackfillInUseGPUs": 6}
    memory = {"TotalInUseMemory": 500, "TotalBackfillInUseMemory": 250}
    full = ClassAd({**DAEMON, **busy, **memory})
    lines = text_of(Style.STARTD, full, ClassAd(DAEMON)).splitlines()
    assert lines[1].split() == [
        "Machines", "Slots", "Cpus", "BusyCpus", "BkCpus", "GPUs", "BusyGPUs", "BkGPUs", "Memory%", "BkMem%",
    ]  # fmt: skip
    assert lines[-1].split() == ["Total", "2", "6", "16", "5", "4", "4", "1", "6", "25.00%", "12.50%"]
    assert "Omitted" not in "".join(lines)
    assert text_of(Style.STARTD_GPUS, full) == text_of(Style.STARTD, full) + "\n"
    for name in ("TotalSlots", "TotalCpus", "TotalGPUs", "TotalMemory"):
        less = ClassAd({key: value for key, value in DAEMON.items() if key != name})
        assert "Omitted 1 " in text_of(Style.STARTD, less), name
    assert lines[-1] == f"{'Total':>14}" + " ".join(f"{n:>8}" for n in lines[-1].split()[1:])
    assert rows(Style.STARTD)["Total"][-2:] == ["0.00%", "0.00%"]
    tiny = ClassAd({**DAEMON, "TotalMemory": 1, "TotalInUseMemory": 1})
    assert rows(Style.STARTD, tiny)["Total"][-2] == "100.00%"
    assert "Omitted" not in text_of(Style.STARTD, tiny)


def test_health() -> None:
    ads = [
        slot(Healthy=True), slot(Healthy=False), slot(Healthy=False), slot(), slot(), slot(), slot(BrokenReasons="x"),
        slot(SlotBrokenReason="x", Healthy=True), slot(SlotBrokenReason="x"), slot(BrokenReasons="y"),
    ]  # fmt: skip
    for style, key in ((Style.SLOT_HEALTH, "X86_64/LINUX"), (Style.STARTD_HEALTH, "x64/Debian12")):
        assert rows(style, *ads) == {key: ["1", "2", "4", "3"], "Total": ["1", "2", "4", "3"]}
        assert text_of(style).splitlines()[1].split() == ["Healthy", "Unhealthy", "Broken", "Unknown"]


def test_jobs_of_schedds_and_submitters() -> None:
    jobs = {"TotalRunningJobs": 1, "TotalIdleJobs": 2, "TotalHeldJobs": 3}
    assert text_of(Style.SCHEDD, ClassAd(jobs), ClassAd(jobs)) == (
        f"\n{'':14}{'TotalRunningJobs':>18} {'TotalIdleJobs':>18} {'TotalHeldJobs':>18}\n\n{'':14}\n"
        f"{'Total':>14}{2:>18} {4:>18} {6:>18}\n"
    )
    ads = [ClassAd({"Name": name, "RunningJobs": 1, "IdleJobs": 20, "HeldJobs": 300}) for name in ("b@x", "a@x", "b@x")]
    assert text_of(Style.SUBMITTERS, *ads, fit=True) == (
        "\n     RunningJobs   IdleJobs   HeldJobs\n\n"
        "  a@x          1         20        300\n"
        "  b@x          2         40        600\n\n"
        "Total          3         60        900\n"
    )
    for name in jobs:
        less = ClassAd({key: value for key, value in jobs.items() if key != name})
        assert "Omitted 1 " in text_of(Style.SCHEDD, less), name
        assert str(jobs[name]) not in text_of(Style.SCHEDD, less).splitlines()[-4].split()
    assert rows(Style.SUBMITTERS, ClassAd({"RunningJobs": 1}))[""] == [
        "(Omitted 1 malformed ads in computed attribute totals)"
    ]


@pytest.mark.parametrize(
    ("attributes", "counted"),
    [
        ({"State": "Owner"}, {"Owner": 1}),
        ({"State": "Claimed", "DynamicSlot": True}, {}),
        ({"State": "Unclaimed", "PartitionableSlot": True, "Cpus": 1}, {"Unclaimed": 1}),
        ({"State": "Unclaimed", "PartitionableSlot": True, "Cpus": 0.1}, {"Unclaimed": 1}),
        ({"State": "Unclaimed", "PartitionableSlot": True, "Cpus": 0}, {}),
        ({"State": "Unclaimed", "PartitionableSlot": True}, {}),
        (
            {"State": "Unclaimed", "PartitionableSlot": True, "ChildState": ["Claimed", "Claimed", "Preempting"]},
            {"Claimed": 2, "Preempting": 1},
        ),
        (
            {"State": "Unclaimed", "PartitionableSlot": True, "Cpus": 2, "ChildState": ["Claimed"]},
            {"Claimed": 1, "Unclaimed": 1},
        ),
        (
            {"State": "Unclaimed", "PartitionableSlot": True, "Cpus": 2, "ChildState": ["Claimed"],
             "BackfillSlot": True},
            {"Backfill": 1},
        ),
        ({"State": "Claimed", "BackfillSlot": True}, {"Backfill": 1}),
        ({"State": "Unclaimed", "BackfillSlot": True}, {"BkIdle": 1}),
        ({"State": "Owner", "BackfillSlot": True}, {"Owner": 1}),
    ],
)  # fmt: skip
def test_the_slots_of_a_compact_row(attributes: dict[str, Any], counted: dict[str, int]) -> None:
    """A partitionable slot counts for its parts, and for itself while it has something left."""
    for style in (Style.SLOTS, Style.STATE):
        ad = ClassAd({**LINUX, "Activity": "Idle", **attributes})
        heading, *_, total = text_of(style, ad, compact=True).splitlines()[1:]
        found = dict(zip(heading.split(), map(int, total.split()[1:]), strict=True))
        slots = 0 if style is Style.STATE else sum(counted.values()) - counted.get("BkIdle", 0)
        wanted = {"Total": slots, **counted}
        assert {name: number for name, number in found.items() if number or name == "Total"} == wanted


def test_other_compact_tables_count_a_row_once_more_while_it_has_cpus() -> None:
    sizes: dict[str, Any] = {"Memory": 1, "Disk": 1, "Mips": 1, "KFlops": 1, "PartitionableSlot": True}
    assert rows(Style.SERVER, slot("Unclaimed", Cpus=0, **sizes), compact=True)["Total"][0] == "1"
    assert rows(Style.SERVER, slot("Unclaimed", Cpus=1, **sizes), compact=True)["Total"][0] == "2"
    backfill = slot("Unclaimed", Cpus=1, BackfillSlot=True, **sizes)
    assert rows(Style.SERVER, backfill, compact=True)["Total"][0] == "1"
    static = slot("Unclaimed", Memory=1, BackfillSlot=True)
    assert rows(Style.SERVER, static, compact=True)["Total"][0] == "1"


def test_compact_rows_are_counted_by_platform() -> None:
    ads = [slot(), ClassAd({"Arch": "X86_64", "OpSys": "LINUX", "State": "Owner"})]
    assert list(rows(Style.SLOTS, *ads, compact=True)) == ["X86_64/LINUX", "x64/Debian12", "Total"]
    assert list(rows(Style.STATE, slot(), compact=True)) == ["Busy", "Total"]


def letters(state: str, activity: str, cpus: float, children: str, activities: str) -> str:
    """Return the column ST of the compact row of a partitionable slot."""
    whole = {"S": "Claimed", "P": "Preempting", "U": "Unclaimed", "O": "Owner", "D": "Drained", "?": "Odd"}
    doing = {"b": "Busy", "i": "Idle", "v": "Vacating", "k": "Killing", "?": "Odd"}
    ad = slot(
        state, activity, Machine="m", PartitionableSlot=True, SlotType="Partitionable", Cpus=cpus, MyType="Machine",
        ChildState=[whole[letter] for letter in children], ChildActivity=[doing[letter] for letter in activities],
    )  # fmt: skip
    lines = _shown(ad)
    at = lines[0].index(" ST ") + 1
    return lines[2][at : at + 2]


def _shown(*ads: ClassAd) -> list[str]:
    with NamedTemporaryFile("w") as file:
        file.write("\n".join("".join(write_ads([ad], "long")) for ad in ads))
        file.flush()
        return run("condor_status", "-ads", file.name, "-compact").out.splitlines()


@pytest.mark.parametrize(
    ("state", "activity", "cpus", "children", "activities", "shown"),
    [
        ("Unclaimed", "Idle", 0, "SS", "bb", "Cb"),
        ("Unclaimed", "Idle", 0.09, "S", "b", "Cb"),
        ("Unclaimed", "Idle", 0.1, "S", "b", "**"),
        ("Unclaimed", "Idle", 2, "U", "i", "Ui"),
        ("Unclaimed", "Idle", 2, "U", "b", "U*"),
        ("Unclaimed", "Idle", 2, "S", "i", "*i"),
        ("Unclaimed", "Idle", 2, "SP", "bb", "P*"),
        ("Unclaimed", "Idle", 2, "S", "bv", "*v"),
        ("Unclaimed", "Idle", 2, "PS", "vb", "Pv"),
        ("Unclaimed", "Benchmarking", 0, "S", "b", "**"),
        ("Owner", "Idle", 0, "S", "b", "**"),
        ("Drained", "Retiring", 0, "S", "b", "C*"),
        ("Drained", "Idle", 2, "S", "i", "Ci"),
        ("Drained", "Idle", 2, "O", "i", "*i"),
        ("Drained", "Idle", 2, "D", "i", "Di"),
        ("Unclaimed", "Idle", 2, "", "", "Ui"),
    ],
)
def test_the_letters_of_a_partitionable_slot(
    state: str, activity: str, cpus: float, children: str, activities: str, shown: str
) -> None:
    """An exhausted slot shows what its parts are, one on its way out shows that, and a star is what differs."""
    assert letters(state, activity, cpus, children, activities) == shown


def cells(*ads: dict[str, Any]) -> list[dict[str, str]]:
    """Return the rows of a compact table, by heading."""
    common = {**LINUX, "MyType": "Machine", "Machine": "m", "SlotTypeID": 1, "TotalCpus": 8, "TotalLoadAvg": 2.0}
    made = [ClassAd({**common, "Name": f"slot{number}@m", **ad}) for number, ad in enumerate(ads, 1)]
    head, _, *lines = _shown(*made)
    names = ["Machine", "Platform", "Slot", "Cpus", "FreCpu", " FreeGb", "ST", "Jobs/Min", "MaxSlotGb"]
    ends = {name: head.index(f" {name}") + 1 + len(name) if name != "Machine" else len(name) for name in names}
    found = []
    for line in lines[: lines.index("")]:
        row = {name: line[: ends[name] + 1].split(" ")[-1] for name in names[2:]}
        words = {name: line[:end].split(" ")[-1] for name, end in ends.items()}
        found.append({**row, **words, "Machine": line[: head.index("Platform")].rstrip()})
    return found


IDLE = {"State": "Unclaimed", "Activity": "Idle", "SlotType": "Static", "Cpus": 1, "Memory": 2048}
BUSY = IDLE | {"State": "Claimed", "Activity": "Busy"}


def test_static_slots_share_a_row() -> None:
    first = IDLE | {"RecentJobStarts": 20, "Memory": 1024}
    (row,) = cells(first, IDLE | {"RecentJobStarts": 40}, BUSY | {"RecentJobStarts": 40, "Memory": 4096})
    assert (row["Slot"], row["FreCpu"], row["ST"], row["Jobs/Min"]) == ("3", "2", "**", "5.00")
    assert row["MaxSlotGb"] == "4.00", "the largest slot, busy or not"
    (row,) = cells(BUSY, IDLE)
    assert (row["Slot"], row["FreCpu"], row["MaxSlotGb"]) == ("2", "1", "2.00")
    for state in ("Matched", "Preempting"):
        (row,) = cells(BUSY | {"State": state})
        assert row["FreCpu"] == "0", state
    (row,) = cells(IDLE | {"State": "Owner"})
    assert row["FreCpu"] == "1"


def test_types_of_slots_have_rows_of_their_own() -> None:
    """The second row of a machine names the slot in place of the machine."""
    rows = cells(IDLE, IDLE | {"SlotTypeID": 2}, IDLE | {"SlotTypeID": 2})
    assert [(row["Machine"], row["Slot"]) for row in rows] == [("m", "1"), ("   slot2", "2")]
    rows = cells(IDLE, IDLE | {"Machine": "n"})
    assert [row["Machine"] for row in rows] == ["m", "n"]
    rows = cells(IDLE | {"Machine": "m1"}, IDLE | {"Machine": "m2", "SlotTypeID": 2})
    assert [row["Machine"] for row in rows] == ["m1", "m2"]


def devices(assigned: str | None, **properties: Any) -> ClassAd:
    """A slot with devices a, b-1 and c; each property is a list of their values, None for what one does not tell."""
    ad = ClassAd({} if assigned is None else {"AssignedGPUs": assigned})
    for number, name in enumerate(("a", "b_1", "c")):
        told = {key: values[number] for key, values in properties.items() if values[number] is not None}
        ad[f"GPUs_{name}"] = ClassAd(told)
    return ad


def test_properties_of_devices() -> None:
    ad = devices("a, b-1,c", Capability=[8.0, 9, 7.5], GlobalMemoryMb=[40960, 81920, 40960], DeviceName=["H", "A", "H"])
    assert gpus.assigned(ad) == ["a", "b-1", "c"]
    assert gpus.capabilities(None, ad) == "7.5 to 9.0"
    assert gpus.memories(None, ad) == "40.0 to 80.0 GB"
    assert gpus.names(None, ad) == "A,H"
    alike = devices("a c", Capability=[8.0, None, 8.0], GlobalMemoryMb=[1536, None, 1536], DeviceName=["H", None, "H"])
    assert gpus.capabilities(None, alike) == "       8.0"
    assert gpus.memories(None, alike) == "    1.5 GB"
    assert gpus.names(None, alike) == "H"


@pytest.mark.parametrize("told", [None, True, "8.0"])
def test_a_device_that_does_not_tell_its_capability(told: object) -> None:
    ad = devices("a,c", Capability=[8.0, None, told], DeviceName=["H", None, True])
    assert gpus.capabilities(None, ad) is None
    assert gpus.names(None, ad) is None
    nothing = devices("")
    assert (gpus.capabilities(None, nothing), gpus.memories(None, nothing), gpus.names(None, nothing)) == (None,) * 3


@pytest.mark.parametrize(
    ("assigned", "off_line", "shown"),
    [(None, "", None), ("", "", "   0   "), ("a,c", "", "   2   "), ("a,c", "C,x", "   2-1 "),
     ("a c", "a,c", "   2-2 ")],
)  # fmt: skip
def test_devices_that_are_off_line(assigned: str | None, off_line: str, shown: str | None) -> None:
    ad = devices(assigned)
    ad["OfflineGPUs"] = off_line
    assert gpus.total(None, ad) == shown


def test_kinds_of_devices() -> None:
    kinds = ClassAd(
        "[ AvailableGPUs = { a, b, c, d }; "
        'a = [ Capability = 8.0; GlobalMemoryMb = 40960; DeviceName = "NVIDIA A100-SXM4-40GB" ]; '
        'b = [ Capability = 9; GlobalMemoryMb = 1.5; DeviceName = 5 ]; c = [ DeviceName = "X" ]; d = 5 ]'
    )
    assert gpus.kinds(kinds) == ["Capability 8.0, 40.0 GB, A100-SXM4", "Capability 9.0"]
    assert gpus.kinds(ClassAd({"AvailableGPUs": "a"})) == []
    kinds["State"], kinds["Activity"] = "Unclaimed", "Idle"
    text = text_of(Style.GPUS, kinds, compact=True)
    shown = {line[:35].strip(): line[35:].split() for line in text.splitlines() if "Capability" in line}
    assert list(shown) == ["Capability 8.0, 40.0 GB, A100-SXM4", "Capability 9.0"]
    assert all(counts[1:3] == ["0", "1"] for counts in shown.values()), "unclaimed"
