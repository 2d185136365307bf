"""Columns, conversions and forms by themselves."""

from __future__ import annotations

import ctypes
import io
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from condor_py.cli import entry
from condor_py.cli.output import ads
from condor_py.cli.output.autoformat import add_format
from condor_py.cli.output.conversion import Conversion, collapse_escapes, date, elapsed
from condor_py.cli.output.mask import Column, Mask
from condor_py.cli.output.printformat import parse_print_format
from condor_py.cli.output.renderers import RENDERERS
from condor_py.cli.output.terminal import cut, pad, text_width
from condor_py.lang.classad import ClassAd

_AD = ClassAd.from_text_items(
    [("Name", '"jörg"'), ("Number", "42"), ("Real", "2.5"), ("Expr", "Number + 1"), ("Yes", "true"), ("L", "{1,2}")]
)


def test_widths_count_bytes() -> None:
    assert text_width("jörg") == 5
    assert pad("jörg", 6, True) == "jörg "
    assert cut("jörg", 2).encode("utf-8", "surrogateescape") == b"j\xc3"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "  0+00:00:00"), (99, "  0+00:01:39"), (1795212563, "20777+22:09:23"), (-1, "  0+00:00:-1")],
)
def test_elapsed_time(seconds: int, text: str) -> None:
    assert elapsed(seconds) == text


def test_dates_before_the_epoch_are_unknown() -> None:
    assert date(-1) == "    ???    "


_NUMBERS = st.integers(-(2**40), 2**40)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.lists(
        st.tuples(st.sampled_from(["", "-", "0", "+", " ", "#"]), st.sampled_from(["", "3", "12"]),
                  st.sampled_from(["", ".0", ".4"]), st.sampled_from("dixXof"), _NUMBERS),
        min_size=1, max_size=20,
    )
)  # fmt: skip
def test_conversions_are_those_of_printf(cases: list[tuple[str, str, str, str, int]]) -> None:
    libc = ctypes.CDLL(None)
    buffer = ctypes.create_string_buffer(400)
    for flag, width, precision, letter, number in cases:
        if flag == "#" and (number == 0 or letter not in "xX"):
            continue  # C's alternate forms of zero, of octals and of reals are left out
        fmt = f"<%{flag}{width}{precision}{letter}>"
        value = ctypes.c_double(number) if letter == "f" else ctypes.c_longlong(number)
        libc.snprintf(buffer, 400, fmt.replace(letter, "ll" + letter if letter != "f" else letter).encode(), value)
        assert Conversion(fmt).text(number) == buffer.value.decode(), (fmt, number)


def test_escapes() -> None:
    assert collapse_escapes(r"a\tb\\n\101\x41\q") == "a\tb\\nAAq"


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (Column("Name", fmt="%s"), "jörg"),
        (Column("Name", width=-3, fmt="%v", truncate=True), "jö"),
        (Column("Number", width=6, fmt="%d"), "    42"),
        (Column("Number", width=6), "      "),  # a bare WIDTH shows no numbers
        (Column("NoSuch", width=6, truncate=True), "undefi"),
        (Column("NoSuch", width=6, fmt="%d", alt="??"), "[????]"),
        (Column("NoSuch", width=6, fmt="%d", alt="?"), "     ?"),
        (Column("NoSuch", width=-6, fmt="%d", alt="--"), "------"),
        (Column("NoSuch", width=2, fmt="%d", alt="??"), " ?"),
        (Column("Real", fmt="%d"), "2"),
        (Column("Yes", fmt="%d"), "1"),
        (Column("Expr", fmt="%s"), "Number + 1"),
        (Column("Expr", fmt="%v"), "43"),
        (Column("Expr", fmt="%r"), "Number + 1"),
        (Column("L", fmt="%v"), "{ 1,2 }"),
        (Column("Name", fmt="%V"), '"jörg"'),
        (Column("MY.Number", fmt="%r"), "undefined"),
    ],
)
def test_a_column_shows(column: Column, text: str) -> None:
    assert Mask([column]).display(_AD) == text + "\n"


def test_columns_grow_to_their_widest_cell() -> None:
    mask = Mask([Column("Name", "N", -1, "%v", auto=True), Column("Number", "#", fmt="%d")])
    cells = mask.cells(_AD)
    assert mask.heading() == "N     #\n"
    assert mask.row(cells) == "jörg 42\n"


def test_toml_is_toml() -> None:
    text = "".join(ads.write_ads([_AD, _AD], ads.TOML))
    loaded = tomllib.loads(text)["ad"]
    assert len(loaded) == 2
    assert loaded[0] == {
        "Name": "jörg", "Number": 42, "Real": 2.5, "Expr": "Number + 1", "Yes": True, "L": "{ 1,2 }",
    }  # fmt: skip


def test_every_renderer_of_the_manual_is_there() -> None:
    named = """ACTIVITY_CODE ACTIVITY_TIME BATCH_NAME BUFFER_IO_MISC CONDOR_PLATFORM CONDOR_VERSION CPU_TIME DAG_OWNER
    DATE DUE_DATE ELAPSED_TIME GRID_JOB_ID GRID_RESOURCE GRID_STATUS JOB_COMMAND JOB_DESCRIPTION JOB_FACTORY_MODE
    JOB_ID JOB_STATUS JOB_STATUS_RAW JOB_UNIVERSE LOAD_AVG MEMBER_COUNT MEMORY_USAGE OWNER PLATFORM QDATE
    READABLE_BYTES READABLE_KB READABLE_MB REMOTE_HOST RUNTIME STRINGS_FROM_LIST TIME UNIQUE"""
    assert set(named.split()) <= set(RENDERERS)


@pytest.mark.parametrize(
    ("printas", "ad", "text"),
    [
        ("READABLE_KB", "A = 2048", "2.0 MB"),
        ("READABLE_BYTES", "A = 10", "10.0 B "),
        ("MEMBER_COUNT", "A = {1,2,3}", "3"),
        ("STRINGS_FROM_LIST", 'A = {"x", 1, "y"}', "x, y"),
        ("UNIQUE", 'A = "b,a,b"', "a, b"),
        ("CONDOR_VERSION", 'A = "$CondorVersion: 25.14.0 2026-11-20 PRE-RELEASE-UWCS $"', "25.14.0.PRE"),
        ("CONDOR_PLATFORM", 'A = "$CondorPlatform: X86_64-Debian_12 $"', "x86_64_Debian_12"),
        ("PLATFORM", 'A = 1\nArch = "X86_64"\nOpSysAndVer = "Debian12"', "x64/Debian12"),
        ("ACTIVITY_CODE", 'A = "Busy"\nState = "Claimed"\nActivity = "Busy"', "Cb"),
        ("JOB_STATUS", "A = 1\nJobStatus = 2\nTransferringInput = true\nTransferQueued = true", "<q"),
        ("JOB_STATUS", "A = 1\nJobStatus = 6", " >"),
        ("GRID_RESOURCE", 'A = 1\nGridResource = "batch slurm login.example.org"', "batch->login.example.org slurm"),
    ],
)
def test_renderers(printas: str, ad: str, text: str) -> None:
    chosen = parse_print_format(["SELECT", f"A AS X PRINTAS {printas}"])
    assert not chosen.messages
    made = ClassAd.from_text_items(line.split(" = ", 1) for line in ad.splitlines())  # type: ignore[misc]
    assert chosen.mask.display(made).rstrip("\n").rstrip(" ") == text.rstrip(" ")


@pytest.mark.parametrize("tool", ["condor_q -jobads", "condor_history -file", "condor_status -ads"])
def test_a_print_format_comes_from_standard_input(
    tool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ads"
    path.write_text('MyType = "Machine"\nName = "a"\nClusterId = 7\nProcId = 0\n*** Offset = 0 ClusterId = 7\n')
    if tool != "condor_history -file":
        path.write_text(path.read_text().partition("***")[0])
    monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT BARE NOSUCH\nClusterId PRINTF <%d>\n"))
    name, *words = [*tool.split(), str(path), "-print-format", "-"]
    assert entry.main(name, words) == 0
    shown = capsys.readouterr()
    assert "<7>" in shown.out
    assert "NOSUCH" in shown.err, "a mistake in a line is named by every tool"


@pytest.mark.parametrize("value", ['real("INF")', 'real("NaN")', "-1e300", "9223372036854775807"])
@pytest.mark.parametrize("fmt", ["%d", "%i", "%u", "%x", "%c", "%T", "%Y", "%5.2f", "%v", "%a", "%12A"])
def test_a_number_of_another_users_job_spoils_no_table(fmt: str, value: str) -> None:
    mask = Mask()
    assert add_format(mask, fmt, "A")
    assert mask.display(ClassAd(f"[ A = {value} ]"))


@pytest.mark.parametrize("digits", ["99999999999", "9" * 5000], ids=["many", "very many"])
def test_a_format_without_end_is_as_wide_as_a_page(digits: str) -> None:
    for fmt in (f"%{digits}d", f"%.{digits}d", f"%{digits}s", f"%-{digits}v"):
        mask = Mask()
        add_format(mask, fmt, "A")
        assert len(mask.display(ClassAd("[ A = 1 ]"))) <= 10_002
    chosen = parse_print_format([f"A WIDTH -{digits}"])
    assert chosen.mask.columns[0].width == 10_000


def test_what_a_renderer_has_made_is_shown_in_a_format_of_numbers() -> None:
    chosen = parse_print_format(["A PRINTAS DATE PRINTF %d"])
    assert "???" in chosen.mask.display(ClassAd("[ A = 9223372036854775807 ]"))
