"""condor_history on files of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from tool_runner import Spool, run

from condor_py.cli.history.reading import ReadingMeter
from condor_py.client import progress
from condor_py.store.history import all_records


def _record(kind: str, cluster: int, proc: int, owner: str, **attributes: str) -> str:
    names = {
        "ClusterId": str(cluster),
        "ProcId": str(proc),
        "Owner": f'"{owner}"',
        "TotalSubmitProcs": "2",
    } | attributes
    lines = "".join(f"{name} = {text}\n" for name, text in names.items())
    return f'{lines}*** {kind} ClusterId = {cluster} ProcId = {proc} Owner = "{owner}" CompletionDate = 5\n'


@pytest.fixture
def history(tmp_path: Path) -> str:
    """Oldest first: 1.0 of bob, 2.0 and 2.1 of Ann, 3.0 of bob; a file transfer of 3.0."""
    path = tmp_path / "history"
    path.write_text(
        _record("Offset = 0", 1, 0, "bob", TotalSubmitProcs="1")
        + _record("Offset = 9", 2, 0, "Ann")
        + _record("Offset = 9", 2, 1, "Ann")
        + _record("INPUT", 3, 0, "bob")
        + _record("Offset = 9", 3, 0, "bob", TotalSubmitProcs="1")
    )
    return str(path)


def test_jobs_and_owners_add_up_until_the_last_named_job(history: str) -> None:
    assert run("condor_history", "-file", history, "ann", "1", "-af:j", "Owner").out.split("\n") == [
        "2.1 Ann", "2.0 Ann", "1.0 bob", "",
    ]  # fmt: skip
    assert run("condor_history", "-file", history, "bob", "2", "-af:j", "ProcId").out.split() == [
        "3.0", "0", "2.1", "1", "2.0", "0",
    ]  # fmt: skip


def test_kinds_of_records(history: str) -> None:
    done = run("condor_history", "-file", history, "-transfer-history:i", "-af", "ClusterId")
    assert done.out == "3\n"
    done = run("condor_history", "-file", history, "-transfer-history")
    assert done.err.startswith("Error: -transfer-history does not have a default print table.")
    assert run("condor_history", "-file", history, "-type", "job", "-af", "ClusterId").out.split() == [
        "3",
        "2",
        "2",
        "1",
    ]
    assert run("condor_history", "-file", history, "-transfer-history:x", "-l").err.endswith("attribute 'x'\n")


def test_columns_of_the_command_line_follow_those_of_a_print_format(history: str, tmp_path: Path) -> None:
    (tmp_path / "format").write_text("SELECT\n   ProcId AS P WIDTH 3\nWHERE ClusterId == 2\n")
    words = ["-file", history, "-print-format", str(tmp_path / "format"), "-af", "Owner"]
    lines = run("condor_history", *words).out.splitlines()
    assert [line.split() for line in lines] == [["P", "Owner"], ["1", "Ann"], ["0", "Ann"]]


def test_limits_of_nothing_are_none(history: str) -> None:
    for words in (["-scanlimit", "0"], ["-limit", "0"], ["-wide:0"]):
        assert len(run("condor_history", "-file", history, *words).out.splitlines()) == 5, words


def test_extract_needs_to_know_what(history: str, tmp_path: Path) -> None:
    done = run("condor_history", "-file", history, "-extract", str(tmp_path / "x"))
    assert done.err == "Error: -extract requires a constraint for which ClassAds to copy\n"
    assert not (tmp_path / "x").exists()


def ids(path: str, *words: str) -> list[str]:
    """The jobs that condor_history shows of a file."""
    return run("condor_history", "-file", path, *words, "-af:j", "x").out.split()[::2]


def test_jobs_of_others_do_not_count_as_scanned(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_text("".join(_record("Offset = 0", c, p, "bob") for c in range(1, 6) for p in (0, 1)))
    assert ids(str(path), "4", "3", "2", "-scanlimit", "3") == ["4.1", "4.0", "3.1"]
    assert ids(str(path), "-scanlimit", "3") == ["5.1", "5.0", "4.1"]
    assert ids(str(path), "2", "-scanlimit", "3", "-forwards") == ["2.0"]
    assert ids(str(path), "4.0", "2.1", "-since", "3.0") == ["4.0", "2.1"]


def test_damaged_records_are_told_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_text(
        _record("Offset = 77", 1, 0, "bob") + _record("Offset = 1", 2, 0, "bob", Rank="((") + "junk\n"
        + _record("Offset = 3", 3, 0, "bob") + "A = 1\nClusterId = 4\n***\n"
    )  # fmt: skip
    warning = "\t*** Warning: Bad history file; skipping malformed ad(s)\n"
    done = run("condor_history", "-file", str(path), "-af", "ClusterId")
    assert (done.out, done.err, done.code) == (f"4\n{warning}{warning}1\n", "", 0)


def test_a_bare_banner_ends_a_record_of_any_kind(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_text("\nFoo = True\nBar = 2\n***\nFoo = False\nBar = 1\n***\n")
    for words, shown in (("-forwards", "2 true\n1 false\n"), ("-backwards", "1 false\n2 true\n")):
        assert run("condor_history", words, "-file", str(path), "-af", "Bar", "Foo").out == shown
    assert run("condor_history", "7", "-file", str(path), "-type", "SPAWN", "-af", "Bar").out == ""


def test_rotated_files_are_searched_too(tmp_path: Path) -> None:
    for cluster, end in enumerate((".20200101T000000", ".20250101T000000", ""), 1):
        (tmp_path / f"history{end}").write_text(_record("Offset = 0", cluster, 0, "bob"))
    (tmp_path / "history.old").write_text(_record("Offset = 0", 9, 0, "bob"))
    for words, shown in (([], ["3", "2", "1"]), (["-forwards"], ["1", "2", "3"])):
        done = run("condor_history", "-search", str(tmp_path / "history"), "-af", "ClusterId", "-limit", "9", *words)
        assert done.out.split() == shown
    assert run("condor_history", "-search", str(tmp_path / "nosuch"), "-af", "ClusterId") == ("", "", 0)


def test_the_search_ends_with_the_last_job_that_was_named(tmp_path: Path) -> None:
    """A later record of the same job is of another queue."""
    path = tmp_path / "history"
    path.write_text("".join(_record("Offset = 0", 2, p, "bob", X=str(x)) for x in (1, 2) for p in (0, 1)))
    assert ids(str(path), "2.1") == ["2.1"]
    assert ids(str(path), "2") == ["2.1", "2.0"]
    assert ids(str(path), "2", "2.0", "-forwards") == ["2.0", "2.1"]
    old = "QDate = 100\nClusterId = 3\nTotalSubmitProcs = 9\n*** ClusterId = 3 ProcId = 0 CurrentTime = {}\n"
    path.write_text(old.format(50) + old.format(94).replace("3", "1") + old.format(100))
    assert len(ids(str(path), "3")) == 1


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("-startd -epoch", "Error: -startd can not be used in association with -epochs."),
        ("-daemon -schedd", "Error: -daemon can not be used in association with -schedd."),
        ("-epochs -trans -startd -l", "Error: -trans can not be used in association with -startd."),
        ("-transfer:q", "Error: Unknown -transfer-history extra attribute 'q'"),
        ("-daemon:foo", "Error: No daemon history to read: FOO_DAEMON_HISTORY undefined"),
        ("-local -name x", "Error: -local and -name cannot be used together"),
        ("-name x -local", "Error: Arguments -local and -name cannot be used together"),
        ("-name x", "Unable to locate remote schedd (name=x, pool=)."),
        ("-startd -name x", "Unable to locate remote startd (name=x, pool=)."),
        ("-extract f 1 -name x", "Error: -extract can only be used when reading directly from a history file"),
        ("-extract nosuch/f 1", "Error: Failed to open extraction file nosuch/f (2): No such file or directory"),
    ],
)
def test_what_cannot_be_together(spool: Spool, words: str, error: str) -> None:
    done = spool.run("condor_history", *words.split())
    assert (done.err, done.code) == (error + "\n", 1)


def test_a_daemon_is_asked_by_its_own_configuration(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    for knob, cluster in (("SCHEDD.HISTORY", 1), ("STARTD_HISTORY", 2)):
        path = Path(f"{cluster}.history").resolve()
        path.write_text(_record("Offset = 0", cluster, 0, "bob") + _record("Offset = 0", 1, 1, "bob", Rank="(("))
        monkeypatch.setenv(f"_CONDOR_{knob}", str(path))
    monkeypatch.setenv("_CONDOR_HISTORY", "")
    monkeypatch.setenv("_CONDOR_SCHEDD_NAME", "mine@")
    monkeypatch.setenv("_CONDOR_STARTD_NAME", "yours@")
    assert spool.run("condor_history", "-name", "mine@", "-af", "ClusterId") == ("1\n", "", 0)
    assert spool.run("condor_history", "-name", "yours@", "-startd", "-af", "ClusterId") == ("2\n", "", 0)
    monkeypatch.setenv("_CONDOR_SCHEDD.HISTORY", "")
    done = spool.run("condor_history", "-name", "mine@", "-af", "ClusterId")
    text = "Error 5: HISTORY undefined in remote configuration. No such related history to be queried.\n"
    assert done == ("", text, 5)


def test_extracted_records_are_in_the_order_of_the_file(history: str, tmp_path: Path) -> None:
    copy = tmp_path / "x"
    done = run("condor_history", "-file", history, "-extract", str(copy), "ann", "-af", "ProcId")
    assert done.out == f"1\n0\n\nWriting 2 matched ads to {copy}...\n"
    assert ids(str(copy), "-forwards") == ["2.0", "2.1"]
    assert (
        run("condor_history", "-file", history, "-forwards", "-extract", str(copy), "1", "-af", "ProcId").out == "0\n"
    )
    assert copy.read_text() in Path(history).read_text()


def test_what_has_no_banner_is_shown_oldest_first_only(tmp_path: Path) -> None:
    """A record that is being written, or a file of one record (PER_JOB_HISTORY_DIR)."""
    path = tmp_path / "history.4.0"
    path.write_text("ClusterId = 4\nProcId = 0\n")
    assert (ids(str(path), "-forwards"), ids(str(path))) == (["4.0"], [])


@pytest.mark.usefixtures("universal_time")
def test_the_table_of_eighty_columns(tmp_path: Path) -> None:
    path = tmp_path / "history"
    job = {"QDate": "0", "JobStatus": "3", "JobPrio": "0", "ImageSize": "1", "Cmd": '"/bin/sleep"', "Args": '"600 700"'}
    path.write_text(
        _record("Offset = 0", 1, 0, "Ännääääääää", CompletionDate="90061", RemoteWallClockTime="90061.0", **job)
        + _record("Offset = 0", 2, 0, "bob")
    )
    assert run("condor_history", "-wide:80", "-file", str(path)).out.encode() == (
        b" ID      OWNER            SUBMITTED     RUN_TIME ST   COMPLETED CMD            \n --- ???? --- \n"
        + "   1.0   Ännäääää".encode()
        + b"  ???          1+01:01:01 X   1/2  01:01 /bin/sleep 600 \n"
    )


def test_lists_of_whole_ads_begin_before_the_first(tmp_path: Path) -> None:
    (tmp_path / "history").write_text("junk\n*** Offset = 0\n")
    for form, head, foot in (("-json", "[\n", "]\n"), ("-xml", "<classads>\n\n", "</classads>\n\n")):
        assert run("condor_history", form, "-file", str(tmp_path / "nosuch")).out.endswith(head)
        out = run("condor_history", form, "-file", str(tmp_path / "history")).out
        assert out.endswith(f"{head}\t*** Warning: Bad history file; skipping malformed ad(s)\n{foot}")


def test_programs_read_what_the_daemon_is_told_to_keep(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bindings: SCHEDD.HISTORY, bare banners, damaged records, records of other kinds."""
    from condor_py.bindings.enums import HistorySrc
    from condor_py.bindings.histories import walk
    from condor_py.client.pool import open_pool

    path = spool.path.parent / "history"
    path.write_text(
        _record("Offset = 0", 1, 0, "bob") + _record("INPUT", 2, 0, "bob") + "junk\n*** Offset = 0\n"
        + "ClusterId = 4\n***\n***\n"
    )  # fmt: skip
    monkeypatch.setenv("_CONDOR_HISTORY", "")
    monkeypatch.setenv("_CONDOR_SCHEDD.HISTORY", str(path))

    def clusters(*kinds: str) -> list[object]:
        found = walk(open_pool(), HistorySrc.ScheddJob, None, ["ClusterId"], -1, None, frozenset(kinds))
        return [ad["ClusterId"] for ad in found]

    assert clusters() == [4, 1]
    assert clusters("INPUT") == [4, 2]
    assert clusters("ALL") == [4, 2, 1]


_SORT = {
    "Cmd": '"/bin/sort"', "RemoteWallClockTime": "1000.0", "CumulativeRemoteUserCpu": "900.0",
    "CumulativeRemoteSysCpu": "100.0", "CpusProvisioned": "4", "ResidentSetSize_RAW": "524288",
    "MemoryProvisioned": "2048", "AllowedExecuteDuration": "4000",
}  # fmt: skip


def _sorts(tmp_path: Path, *jobs: dict[str, str]) -> str:
    path = tmp_path / "history"
    path.write_text("".join(_record("Offset = 0", 7, number, "ann", **_SORT | own) for number, own in enumerate(jobs)))
    return str(path)


def test_efficiency_of_jobs(tmp_path: Path) -> None:
    path = _sorts(tmp_path, {}, {"MemoryProvisioned": "512", "CpusProvisioned": "1"}, {"RemoteWallClockTime": "0"})
    rows = [line.split() for line in run("condor_history", "-file", path, "-efficiency").out.splitlines()]
    assert rows[0][:4] == ["ID", "OWNER", "CPU_TIME", "CPU_HELD"]
    assert rows[3] == [
        "7.0", "ann", "0+00:16:40", "0+01:06:40", "25.0", "512", "2048", "25.0", "0+00:16:40", "25.0", "sort",
    ]  # fmt: skip
    assert [row[4] for row in rows[1:]] == ["-", "100.0", "25.0"]
    assert [row[7] for row in rows[1:]] == ["25.0", "100.0", "25.0"]
    words = ("-efficiency", "-af", "CpuEfficiency", "MemoryEfficiency", "TimeEfficiency", "MemoryUsed", "TimeAllowed")
    done = run("condor_history", "-file", path, *words)
    assert done.out.splitlines()[2] == "0.25 0.25 0.25 512.0 4000.0"
    assert '"CpuEfficiency": 0.25' in run("condor_history", "-file", path, "-efficiency", "-json", "-limit", "3").out


def test_efficiency_of_batches(tmp_path: Path) -> None:
    named = {"JobBatchName": '"night"'}
    path = _sorts(tmp_path, {}, named, named | {"RemoteWallClockTime": "3000", "MemoryProvisioned": "1024"})
    done = run("condor_history", "-file", path, "-efficiency:batch", "-af", "JobBatchName", "Jobs", "MemoryEfficiency")
    assert done.out.splitlines() == ["night 2 0.4", "ID: 7 1 0.25"]
    assert run("condor_history", "-file", path, "-efficiency:batch").out.splitlines()[1].split()[:3] == [
        "night", "2", "ann",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["-1", "1e300", "error", '"x"', 'real("NaN")', "undefined", "10 ** 40", "true"])
def test_efficiency_of_odd_jobs(tmp_path: Path, text: str) -> None:
    path = _sorts(tmp_path, *[{name: text} for name in _SORT])
    for words in (("-efficiency",), ("-efficiency:batch",), ("-efficiency", "-json")):
        done = run("condor_history", "-file", path, *words)
        assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("words", [("-efficiency:x",), ("-efficiency", "-epochs"), ("-efficiency", "-plot")])
def test_efficiency_is_about_jobs(history: str, words: tuple[str, ...]) -> None:
    done = run("condor_history", "-file", history, *words)
    assert done.code == 1
    assert done.err.startswith("Error: -efficiency")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("newest_first", [True, False])
def test_the_share_of_a_history_that_has_been_read(
    history: str, monkeypatch: pytest.MonkeyPatch, newest_first: bool
) -> None:
    """Rotated files count; the share grows from little to nearly all, whatever the direction."""
    shares: list[float] = []
    monkeypatch.setattr(progress, "may_show", lambda: True)
    monkeypatch.setattr(progress.Meter, "at", lambda self, count, share: shares.append(share))
    Path(f"{history}.20260101T000000").write_text(Path(history).read_text())
    names = [history, f"{history}.20260101T000000"]
    meter = ReadingMeter(lambda: names if newest_first else names[::-1], newest_first=newest_first)
    for record in all_records(history, newest_first=newest_first):
        meter.at(record)
    assert shares == sorted(shares)
    assert len(shares) == 10
    assert 0.0 <= shares[0] < 0.2
    assert 0.8 < shares[-1] <= 1.0
