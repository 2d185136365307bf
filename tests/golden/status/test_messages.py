"""condor_status: forms, choices, and what it says when it cannot."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import make_pools

from condor_py.cli.entry import main as run_program
from condor_py.store.ad_store import AdStore

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def ads(tmp_path: Path) -> str:
    path = tmp_path / "ads"
    path.write_text(make_pools.text(make_pools.pool_b()[:5]))
    return str(path)


def status(capsys: Capture, *argv: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    code = run_program("condor_status", list(argv))
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize(
    ("argv", "code", "err"),
    [
        ("-con ((", 1, "Error: invalid constraint\n\n"),
        (
            "-af",
            1,
            'Error: Argument -af requires at least one attribute parameter\nUse "condor_status -help" for details\n',
        ),
        (
            "-format %s",
            1,
            'condor_status: -format requires two other arguments\nUse "condor_status -help" for details\n',
        ),
        ("-avail -run", 1, "Error:  Arg 2 (-run) contradicts arg 1 (-avail)\n"),
        (
            "-startd -compact",
            1,
            "Error:  arg (-compact) contradicts arg 1 (-startd) remove -startd from command or use -slot instead\n",
        ),
        ("-sort ((", 1, "Error:  Parse error of: ((\n"),
        (
            "-limit",
            1,
            'condor_status: -limit requires one additional argument\nUse "condor_status -help" for details\n',
        ),
        ("-print-format /nonexist", 1, "Can't open select file: /nonexist\nError: invalid select file /nonexist\n"),
        ("-schedd -claimed", 1, "Error:  Arg 2 (-claimed) contradicts arg 1 (-schedd)\n"),
    ],
)
def test_errors(
    argv: str, code: int, err: str, capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published(tmp_path, monkeypatch)
    assert status(capsys, *argv.split()) == (code, "", err)


def test_unknown_option_is_followed_by_the_usage(capsys: Capture) -> None:
    code, out, err = status(capsys, "-c", "Cpus>1")
    assert (code, out) == (1, "")
    assert err.startswith("Error:  Unknown option -c\n")
    assert "[query-opt]" in err


def test_file_problems(capsys: Capture, ads: str) -> None:
    for more in ((), ("-compact",), ("-af", "Name")):
        assert status(capsys, "-ads", "/nonexist", *more) == (0, "", "Can't open file of ClassAds: /nonexist\n")
    code, out, err = status(capsys, "-ads", ads, "-merge", "/nonexist")
    assert (code, err) == (0, "Can't open file of ClassAds: /nonexist\n")
    assert out.startswith("The following ads were found only in the query:\n")
    assert status(capsys, "-ads", ads, "-con", "((") == (0, "", "Invalid constraint expression : ( ((() )\n")


def test_autoformat_with_headings(capsys: Capture, ads: str) -> None:
    _, out, _ = status(capsys, "-ads", ads, "-af:h", "Name", "State", "Cpus", "-limit", "2")
    assert out == "Name     State     Cpus\nslot1@vm Unclaimed 4   \nslot2@vm Claimed   1   \n"


def test_undefined_widens_its_column_from_its_row_on(capsys: Capture, ads: str) -> None:
    _, out, _ = status(capsys, "-ads", ads, "-af:h", "NumDynamicSlots", "Name", "-limit", "2")
    assert out == "NumDynamicSlots Name    \n0               slot1@vm\nundefined       slot2@vm\n"


def test_format_prints_nothing_that_is_not_asked_for(capsys: Capture, ads: str) -> None:
    _, out, _ = status(capsys, "-ads", ads, "-format", "%s=", "Name", "-format", "%d\\n", "Cpus", "-con", "Cpus == 1")
    assert out == "slot2@vm=1\nslot3@vm=1\nslot4@vm=1\nslot5@vm=1\n"


def test_xml_has_an_empty_line_after_each_ad_and_its_frame_without_any(capsys: Capture, ads: str) -> None:
    _, out, _ = status(capsys, "-ads", ads, "-xml", "-attributes", "Name,State", "-limit", "1")
    header = '<?xml version="1.0"?>\n<!DOCTYPE classads SYSTEM "classads.dtd">\n<classads>\n'
    ad = '<c>\n    <a n="Name"><s>slot1@vm</s></a>\n    <a n="State"><s>Unclaimed</s></a>\n</c>\n'
    assert out == f"{header}{ad}\n</classads>\n"
    assert status(capsys, "-ads", ads, "-con", "Cpus>100", "-xml")[1] == f"{header}</classads>\n"
    assert status(capsys, "-ads", ads, "-con", "Cpus>100", "-json")[1] == ""
    assert status(capsys, "-ads", ads, "-con", "Cpus>100")[1] == ""


def test_the_later_whole_form_wins(capsys: Capture, ads: str) -> None:
    _, out, err = status(capsys, "-ads", ads, "-xml", "-json", "-attributes", "Name", "-limit", "1")
    assert (out, err) == ('[\n{\n  "Name": "slot1@vm"\n}\n]\n', "")


def test_whole_form_is_not_undone_by_af(capsys: Capture, ads: str) -> None:
    code, out, err = status(capsys, "-l", "-af", "Name", "-ads", ads, "-limit", "1")
    assert (code, err) == (0, "Error:  arg 2 (-af) contradicts arg 1 (-l)\n")
    assert out.startswith('Activity = "Idle"\n')


@pytest.mark.parametrize(
    ("argv", "names"),
    [
        ("", "slot1@vm slot2@vm slot3@vm slot4@vm slot5@vm"),
        ("-avail", "slot1@vm slot5@vm"),
        ("-claimed", "slot2@vm slot3@vm slot4@vm"),
        ("-slots -run", "slot2@vm slot3@vm slot4@vm"),
        ("-con Cpus>1", "slot1@vm"),
        ("-con Cpus>0 -con Cpus<2 -limit 2", "slot2@vm slot3@vm"),
        ("slot3@vm slot4@vm", "slot3@vm slot4@vm"),
        ("slot9@vm", ""),
        ("vm -con Cpus>1", "slot1@vm"),
        ("-startd", "vm"),
        ("-schedd", "vm"),
        ("-run", "vm"),
        ("-submitters", "alice@example.net group_phys.cms.alice@example.net"),
        ("-submitters alice@example.net", "alice@example.net"),
        ("-subsystem accounting -con ResourcesUsed>40", "<none>"),
        ("-subsystem machine -limit 1", "slot1@vm"),
        ("-subsystem Submitter -limit 1", "alice@example.net"),
        ("-collector", "My Pool - vm@vm"),
        ("-defrag", ""),
        ("-java", ""),
        ("-sort -Cpus -limit 2", "slot2@vm slot1@vm"),
        ("-broken", ""),
    ],
)
def test_which_ads(argv: str, names: str, capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = make_pools.publish(tmp_path, [*make_pools.pool_b(), *make_pools.other_daemons()])
    monkeypatch.setenv("CONDOR_CONFIG", str(config))
    monkeypatch.setenv("_CONDOR_NETWORK_HOSTNAME", "vm")
    _, out, _ = status(capsys, *argv.split(), "-af", "Name")
    assert out.split() == names.split()


def test_natural_order(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "ads"
    names = ("slot10@vm", "slot2@vm", "slot1_10@vm", "slot1_9@vm", "slot1@vm")
    path.write_text(make_pools.text([{**make_pools.COMMON, "Name": f'"{name}"'} for name in names]))
    _, out, _ = status(capsys, "-ads", str(path), "-af", "Name")
    assert out.split() == ["slot1@vm", "slot1_9@vm", "slot1_10@vm", "slot2@vm", "slot10@vm"]
    _, out, _ = status(capsys, "-ads", str(path), "-af", "Name", "-sort", "no")
    assert tuple(out.split()) == names
    _, out, _ = status(capsys, "-ads", str(path), "-af", "Name", "-natural:off")
    assert out.split() == ["slot1@vm", "slot1_9@vm", "slot1_10@vm", "slot2@vm", "slot10@vm"]  # off or not


def test_totals_only(capsys: Capture, ads: str) -> None:
    _, out, err = status(capsys, "-ads", ads, "-totals", "-compact")
    assert err == "Warning: ignoring -compact option because -total option is also set\n"
    assert (
        out.splitlines()[3] == "  X86_64/LINUX     5     0       3         2       0          0      0        0      0"
    )


def test_print_format_file(capsys: Capture, ads: str, tmp_path: Path) -> None:
    form = tmp_path / "form"
    form.write_text(
        "SELECT\n  Name AS Slot WIDTH -10\n  SlotType AS s PRINTAS SLOT_COUNT_TAG\nWHERE Cpus == 1\nSUMMARY NONE\n"
    )
    _, out, _ = status(capsys, "-ads", ads, "-print-format", str(form), "-limit", "1")
    assert out == "Slot       s\nslot2@vm   S\n"


def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A pool of its own with the ads of pool B; the directory of its ads."""
    monkeypatch.setenv("CONDOR_CONFIG", str(make_pools.publish(tmp_path, make_pools.pool_b())))
    return f"{tmp_path}/spool/ads"


def test_reads_what_the_daemons_publish(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    published(tmp_path, monkeypatch)
    assert status(capsys, "-af", "Name", "-limit", "1")[1] == "slot1@vm\n"
    assert status(capsys, "-startd", "-af", "TotalSlots")[1] == "5\n"
    assert status(capsys, "-any", "-af", "MyType", "-con", "TotalSlots == 5")[1] == "StartD\n"
    assert status(capsys, "-schedd") == (0, "", "")
    code, out, err = status(capsys, "no-such-host.invalid")
    assert (code, out, err) == (1, "", "condor_status: unknown host no-such-host.invalid\n")


def test_nothing_published(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = published(tmp_path, monkeypatch)
    AdStore(directory).remove("STARTD")
    code, out, err = status(capsys)
    assert (code, out) == (1, "")
    assert err == f"Error: communication error\nNo daemon has published anything in {directory}: is it running?\n"
    assert status(capsys, "-expert")[2] == "Error: communication error\n\n"


@pytest.mark.parametrize(
    ("name", "reason"), [("nosuch", "unknown host nosuch"), ("a@vm", "Can't find address for startd a@vm")]
)
def test_direct_is_this_machine(
    name: str, reason: str, capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published(tmp_path, monkeypatch)
    assert status(capsys, "-direct", name) == (1, "", f"Error: Failed to locate startd {name}\n{reason}\n")
    assert status(capsys, "-direct", "slot2@vm", "-limit", "1", "-af", "Name") == (0, "slot1@vm\n", "")


def test_narrow_terminal_takes_from_the_name(capsys: Capture, ads: str) -> None:
    _, out, _ = status(capsys, "-ads", ads, "-wide:80", "-limit", "1")
    assert out.splitlines()[0] == "Name           OpSys      Arch     State     Activity LoadAv Mem     ActvtyTime"
    assert out.splitlines()[2] == "slot1@vm       LINUX      X86_64   Unclaimed Idle      0.000   3200  0+00:00:36"
    _, out, _ = status(capsys, "-ads", ads, "-wide:60", "-limit", "1")
    assert out.splitlines()[2] == "slot1@vm     LINUX      X86_64   Unclaimed Idle      0.000 "


def _diagnoses() -> list[tuple[str, str]]:
    """The options after ``$`` of each record, and what was printed."""
    text = (Path(__file__).parent / "diagnose.txt").read_text()
    return [(head, printed) for head, _, printed in (part.partition("\n") for part in text.split("$ ")[1:])]


@pytest.mark.parametrize(("options", "printed"), _diagnoses())
def test_diagnose_prints_the_constraints(capsys: Capture, options: str, printed: str) -> None:
    assert status(capsys, *shlex.split(options))[:2] == (1, printed)


def test_diagnose_tells_what_would_be_asked(capsys: Capture) -> None:
    _, _, err = status(capsys, "-diagnose", "-claimed", "-con", "Cpus > 1")
    assert "Mode: claimed\n" in err
    assert "ATTR: 'RemoteUser'" in err
    assert err.endswith('Requirements:\n  Cpus > 1\n  (State == "Claimed")\n')
