"""Parts of file transfer that need no starter: bounds of directories, rules of names, the record of transfers,
failures, and what is copied with which mode."""

from __future__ import annotations

import http.client
import os
import socket
import ssl
import stat
import urllib.error
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from condor_py.machine.run import builtin_urls
from condor_py.machine.run.builtin_urls import Pace
from condor_py.machine.run.copying import Copier, Moved
from condor_py.machine.run.failures import (
    Failures,
    TooMuch,
    TransferError,
    UrlError,
    check_size,
    scheme_of,
    without_secrets,
)
from condor_py.machine.run.filesystem import FileSystem
from condor_py.machine.run.job import Job
from condor_py.machine.run.places import files_of, inside, make_above, path_of
from condor_py.machine.run.run import is_done
from condor_py.machine.run.transfer import Copied, DirectoryLimits, RemapCycle, append, find


@pytest.mark.parametrize(
    ("rules", "name", "found"),
    [
        ({}, "a", None),
        ({"a": "b"}, "a", "b"),
        ({"a": "b"}, "c", None),
        ({"a": "b", "b": "c"}, "a", "c"),
        ({"d": "e"}, "d/x/y", "e/x/y"),
        ({"d/x": "e"}, "d/x/y", "e/y"),
        ({"d": "e"}, "/d", None),
        ({"d": "e", "d/x": "z"}, "d/x", "z"),
    ],
)
def test_rules_for_names_of_output(rules: dict[str, str], name: str, found: str | None) -> None:
    assert find(rules, name) == found


def test_rules_that_lead_in_a_circle() -> None:
    with pytest.raises(RemapCycle, match=r"remaps resulted in a cycle: [ab]") as error:
        find({"a": "b", "b": "a"}, "a")
    assert error.value.errno == 1
    chain = {f"n{number}": f"n{number + 1}" for number in range(5)}
    assert find(chain, "n0", 5) == "n5"
    for most, ends in ((128, True), (129, False)):  # MAX_REMAP_RECURSIONS
        chain = {f"n{number}": f"n{number + 1}" for number in range(most)}
        if ends:
            assert find(chain, "n0") == "n128"
        else:
            with pytest.raises(RemapCycle):
                find(chain, "n0")
    with pytest.raises(RemapCycle):
        find(chain, "n0", 4)


def test_directories_that_may_be_read(tmp_path: Path) -> None:
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "inner").mkdir()
    (tmp_path / "in" / "link").symlink_to(tmp_path / "inner")
    limits = DirectoryLimits([f"{tmp_path}/in"])
    for path in ("in", "in/", "in/sub", "in/sub/new"):
        limits.check(f"{tmp_path}/{path}")
    limits.check("/dev/null")
    for path in ("inner", "in/link", "in/link/x", "in/../inner", ""):
        with pytest.raises(PermissionError) as error:
            limits.check(f"{tmp_path}/{path}")
        assert (error.value.errno, error.value.filename) == (13, f"{tmp_path}/{path}")
    DirectoryLimits([f"{tmp_path}/in*"]).check(f"{tmp_path}/inner/x")
    with pytest.raises(PermissionError):
        DirectoryLimits([f"{tmp_path}/in*"]).check(f"{tmp_path}/other")
    DirectoryLimits([]).check("/anything")


def test_the_record_of_transfers(tmp_path: Path) -> None:
    path = tmp_path / "history"
    job = cast(Job, SimpleNamespace(job_id="7.3", owner="me"))
    append(str(path), job, [], [], 100.0)
    assert not path.exists()
    append(str(path), job, [Copied("a", 5, 2.5)], ['[ TransferUrl = "u"; TransferEndTime = 9 ]'], 100.0)
    assert path.read_text() == (
        '***\nConnectionTimeSeconds = 2.5\nJobClusterId = 7\nJobOwner = "me"\nJobProcId = 3\nTransferEndTime = 100\n'
        'TransferFileBytes = 5\nTransferFileName = "a"\nTransferProtocol = "cedar"\nTransferStartTime = 97\n'
        'TransferSuccess = true\nTransferTotalBytes = 5\nTransferType = "download"\n'
        '***\nJobClusterId = 7\nJobOwner = "me"\nJobProcId = 3\nTransferEndTime = 9\nTransferUrl = "u"\n'
    )
    path.unlink()
    append(str(path), job, [], ['[ TransferUrl = "u" ]'], 100.0)
    assert "TransferEndTime = 100\nTransferStartTime = 100\n" in path.read_text(), "a plugin that tells no times"
    with path.open("a") as file:
        file.truncate(5_000_000)
    append(str(path), job, [Copied("b", 1, 0.0)], [], 100.0)
    assert not (tmp_path / "history.old").exists()
    append(str(path), job, [Copied("c", 1, 0.0)], [], 100.0)
    assert 'TransferFileName = "c"' in path.read_text()
    assert (tmp_path / "history.old").stat().st_size > 5_000_000


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        ("http://x/y", "http"), ("HTTPS://x", "https"), ("data:,x", "data"), ("DATA:x", "data"), ("datas:x", ""),
        ("/a://b", ""), ("a+b-c.d://x", "a+b-c.d"), ("://x", ""), ("a b://x", ""), ("a", ""), ("file:///x", "file"),
    ],
)  # fmt: skip
def test_schemes_of_urls(name: str, scheme: str) -> None:
    assert scheme_of(name) == scheme


def test_failures_of_urls() -> None:
    error = UrlError("https://h/x?secret=1", "no answer")
    assert (str(error), error.scheme, error.text, error.subcode, error.about) == (
        "no answer ( URL file = https://h/x?... )", "https", "no answer", 256, {},
    )  # fmt: skip
    assert without_secrets("https://h/x") == "https://h/x"


def test_the_first_failure_is_told_with_the_number_of_all() -> None:
    failures = Failures()
    failures.add(FileNotFoundError(2, "x"), "/a")
    failures.add(PermissionError(13, "y"), "/b")
    assert failures.path == "/a"
    text = "reading from file /a: (errno 2) No such file or directory"
    assert failures.told("reading from") == f"2 total failures: first failure: {text}"
    assert failures.told("writing to") == "writing to file /a: (errno 2) No such file or directory"
    failures = Failures()
    failures.add(TooMuch("too much"), "/c")
    assert failures.told("") == "1 total failures: first failure: sending file /c: too much"
    failures = Failures()
    failures.add(OSError("without a number"), "/d")
    assert failures.told("writing to") == "writing to file /d: (errno 0) Success"


@pytest.mark.parametrize(
    ("code", "subcode", "holds"), [(13, 2, True), (13, -999, True), (13, -1000, False), (12, 0, True), (1003, 0, False)]
)
def test_whose_fault_it_is(code: int, subcode: int, holds: bool) -> None:
    assert TransferError(code, subcode, "x").holds is holds


def test_sizes_that_are_too_much(tmp_path: Path) -> None:
    megabyte = 1 << 20
    (tmp_path / "d" / "e").mkdir(parents=True)
    for name in ("d/a", "d/e/b"):
        with (tmp_path / name).open("w") as file:
            file.truncate(megabyte)
    directory = str(tmp_path / "d")
    check_size(directory, 0, 2, "upload")
    check_size(directory, megabyte, 3, "upload")
    check_size(directory, 1 << 40, -1, "upload")
    check_size("/not/there", 0, 0, "upload")
    with pytest.raises(TooMuch) as error:
        check_size(directory, 1, 2, "download")
    assert str(error.value) == "max total download bytes exceeded (max=2 MB, this file=2 MB)"
    with pytest.raises(TooMuch):
        check_size(f"{directory}/a", 0, 0, "upload")


def test_paths_of_a_transfer(tmp_path: Path) -> None:
    assert [inside(name) for name in ("a", "./a/b", "../../x", "/a/../b", "", "a//b/")] == [
        "a", "a/b", "x", "b", ".", "a/b",
    ]  # fmt: skip
    assert (path_of("file:///x"), path_of("x")) == ("/x", "x")
    (tmp_path / "b").mkdir()
    (tmp_path / "a").mkdir()
    for name in ("z", "y", "b/y", "a/x", "x"):
        (tmp_path / name).touch()
    assert list(files_of("http://h/d/", str(tmp_path))) == [
        *((f"http://h/d/{name}", f"{tmp_path}/{name}") for name in "xyz"),
        ("http://h/d/a/x", f"{tmp_path}/a/x"), ("http://h/d/b/y", f"{tmp_path}/b/y"),
    ]  # fmt: skip
    assert list(files_of("http://h/z", f"{tmp_path}/z")) == [("http://h/z", f"{tmp_path}/z")]
    make_above(f"{tmp_path}/new/more/file", str(tmp_path), private=True)
    assert stat.S_IMODE((tmp_path / "new" / "more").stat().st_mode) == 0o700
    make_above(f"{tmp_path}.not/there/file", str(tmp_path), private=True)
    assert not os.path.exists(f"{tmp_path}.not")
    make_above(f"{tmp_path}/../{tmp_path.name}-other/file", str(tmp_path), private=True)
    assert not os.path.exists(f"{tmp_path}-other")


def test_copies_have_modes_and_are_counted(tmp_path: Path) -> None:
    source = tmp_path / "s"
    (source / "d").mkdir(parents=True)
    (source / "a").write_text("12345")
    (source / "d" / "b").write_text("123")
    (source / "a").chmod(0o751)
    (source / "d").chmod(0o710)
    (source / "gone").symlink_to("nothing")
    (source / "elsewhere").symlink_to(tmp_path)
    os.mkfifo(source / "pipe")
    moved, failed = Moved(), []
    Copier(moved, lambda error, path: failed.append((type(error).__name__, path))).copy(str(source), f"{tmp_path}/t")
    made = tmp_path / "t"
    assert (moved.bytes, moved.files) == (8, 2)
    assert sorted(path.name for path in made.rglob("*")) == ["a", "b", "d"]
    assert stat.S_IMODE((made / "a").stat().st_mode) == 0o751
    assert stat.S_IMODE((made / "d").stat().st_mode) == 0o710
    assert failed == [("LinkToDirectory", f"{source}/elsewhere")]
    Copier(moved, lambda error, path: None).copy(str(source / "a"), str(made))
    assert (moved.bytes, moved.files) == (13, 3)
    with pytest.raises(OSError, match="Is the same file"):
        Copier(moved, lambda error, path: None).copy(str(source / "a"), str(source))
    with pytest.raises(OSError, match="Invalid argument"):
        Copier(moved, lambda error, path: None).copy(str(source / "a"), str(source / "pipe"))

    def only_a(path: str, _there: str) -> None:
        if not path.endswith(("/a", "/s")):
            raise PermissionError(13, "no", path)

    failed.clear()

    def not_elsewhere(path: str, there: str) -> str:
        return "" if path.endswith("/elsewhere") else there

    copier = Copier(Moved(), lambda error, path: failed.append((type(error).__name__, path)), only_a, not_elsewhere)
    copier.copy(str(source), f"{tmp_path}/u")
    assert failed == [("PermissionError", f"{source}/d")]
    assert os.listdir(tmp_path / "u") == ["a"]


def test_a_transfer_that_does_not_get_on_is_given_up() -> None:
    pace = Pace(10)
    assert [pace.stalls(seconds) for seconds in (0, 10)] == [False, False]
    assert pace.stalls(10.5), "nothing has come"
    pace.count(100)
    assert not pace.stalls(11.0)
    assert not pace.stalls(20.0), "the next look is due when the patience is over again"
    pace.count(5)
    assert pace.stalls(21.5), "less than a byte a second"
    pace.count(11)
    assert not pace.stalls(32.5)
    pace.count(10)
    assert pace.stalls(43.5)


class _Plain(FileSystem):
    def _set_aside(self) -> str:
        return "/dev/null"

    def remove(self, place: str) -> None:
        self.removed = place

    __slots__ = ("removed",)


def test_a_file_system_has_room_for_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = _Plain(str(tmp_path), 10_000)
    assert made.bytes == 1024 * (10_000 + 4096 + 300)
    asked: list[tuple[str, ...]] = []

    def run(*words: str) -> str:
        asked.append(words)
        if words[0] == "mount":
            os.mkdir(f"{words[-1]}/lost+found")
        return ""

    monkeypatch.setattr("condor_py.machine.run.filesystem.run", run)
    place = f"{tmp_path}/scratch"
    made.make(place)
    assert asked == [
        ("mkfs.ext4", "-q", "-F", "-m", "0", "-b", "4096", "-O", "^has_journal", "-E",
         "lazy_itable_init=1,nodiscard", "/dev/null"),
        ("mount", "-t", "ext4", "-o", "nosuid,nodev,noatime", "/dev/null", place),
    ]  # fmt: skip
    assert (os.listdir(place), stat.S_IMODE(os.stat(place).st_mode)) == ([], 0o700)
    refused = _Plain(str(tmp_path), 10, refused="no keys")
    with pytest.raises(OSError, match=r"Failed to create a volume for the scratch directory: .*no keys") as error:
        refused.make(place)
    assert (error.value.errno, refused.removed) == (1, place)
    block = os.statvfs("/")

    def status(used_kb: int, left_kb: int) -> None:
        values = SimpleNamespace(f_blocks=1000, f_bfree=1000 - used_kb, f_bavail=left_kb, f_frsize=1024)
        monkeypatch.setattr(os, "statvfs", lambda _place: values)

    assert block.f_blocks
    for used, left, full in ((10, 64, False), (11, 64, True), (10, 63, True)):
        small = replace(_Plain(str(tmp_path), 10))
        status(used, left)
        assert small.look(place) is full, (used, left)
        status(0, 100)
        assert small.look(place) is full, "it has been written once"


@pytest.mark.parametrize(
    ("error", "about"),
    [
        (ssl.SSLCertVerificationError(1, "x"), (60, "Authorization", {"FailedServer": "Unknown",
                                                                  "FailureType": "Authentication"})),
        (ssl.SSLError(1, "x"), (7, "Contact", {"FailedServer": "Unknown"})),
        (ConnectionRefusedError(111, "x"), (7, "Contact", {"FailedServer": "Unknown"})),
        (TimeoutError("x"), (42, "Transfer", {"FailedServer": "Unknown", "FailureType": "TooSlow"})),
        (socket.gaierror(-2, "x"), (6, "Resolution", {"FailedName": "h", "FailureType": "Unknown"})),
        (ValueError("x"), (3, "Parameter", {"PluginLaunched": True, "PluginVersion": "0.2"})),
        (http.client.InvalidURL("x"), (3, "Parameter", {"PluginLaunched": True, "PluginVersion": "0.2"})),
        (OSError(5, "x"), (56, "", {})),
        (http.client.IncompleteRead(b""), (56, "", {})),
    ],
)  # fmt: skip
@pytest.mark.parametrize("upload", [True, False])
def test_what_programs_are_told_of_a_failure(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    about: tuple[int, str, dict[str, object]],
    upload: bool,
) -> None:
    """As HTCondor's plugin tells it: libcurl's number and the kind of the failure."""

    class Opener:
        def open(self, *_words: object, **_more: object) -> None:
            raise urllib.error.URLError(error) if isinstance(error, OSError) else error  # type: ignore[arg-type]

    monkeypatch.setattr(builtin_urls, "_opener", lambda _wishes: Opener())
    (tmp_path / "a").write_text("x")
    with pytest.raises(UrlError) as failure:
        builtin_urls.move("http://me:secret@h:80/x", str(tmp_path / "a"), upload, builtin_urls.Wishes(tries=1))
    code, kind, more = about
    assert failure.value.about == {"ErrorCode": code, **({"ErrorType": kind} if kind else {}), **more}
    assert str(failure.value).startswith(("x ( URL", "IncompleteRead"))


# -- skip_if_dataflow


@pytest.mark.parametrize(
    ("times", "done"),
    [
        ({"out": 20}, True),
        ({"out": 10}, False),
        ({"out": 20, "cmd": 20}, False),
        ({"out": 20, "in": 20}, False),
        ({"out": 20, "input": 20}, False),
        ({"out": 20, "common": 21}, False),
        ({"out": 20, "late": 10}, False),
        ({"out": 20, "late": 21}, True),
        ({"out": 20, "input": -1}, True),
        ({"out": 20, "cmd": -1}, False),
        ({"out": 20, "in": -1}, False),
        ({"out": -1}, False),
        ({"out": 20, "http:/h/x": 30}, True),
    ],
)
def test_a_job_whose_output_is_newer_than_all_that_it_is_made_of_is_done(
    tmp_path: Path, times: dict[str, int], done: bool
) -> None:
    """-1: the file is not there. One with the path of a URL has nothing to do with it."""
    (tmp_path / "http:" / "h").mkdir(parents=True)
    for name in ("cmd", "in", "input", "common", "out", "late", "http:/h/x"):
        when = times.get(name, 12 if name == "late" and "late" not in times else 10)
        if when >= 0:
            (tmp_path / name).touch()
            os.utime(tmp_path / name, (when, when))
    outputs = ("out", "late") if "late" in times else ("out",)
    job = SimpleNamespace(
        iwd=str(tmp_path), cmd="cmd", stdin="in", input_files=("http://h/x", "input"), common_files=("common",),
        output_files=outputs,
    )  # fmt: skip
    assert is_done(cast(Job, job)) is done
    job.stdin = os.devnull
    assert is_done(cast(Job, job)) is (done or times == {"out": 20, "in": 20} or times == {"out": 20, "in": -1})
    job.output_files = None
    assert not is_done(cast(Job, job))
