"""The calls that make private views of a program, with a simulated kernel, and the means for them. With the real one:
test_namespaces.py."""

from __future__ import annotations

import gc
import os
import signal
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from apart import apart

from condor_py.machine.run import means, namespaces
from condor_py.machine.run.means import Means
from condor_py.machine.run.namespaces import Ended, Namespaces, ProcessSpace, enter, enter_all, hide_mounts, join
from condor_py.machine.run.spawning import Started

#: <linux/sched.h>, <sys/mount.h>.
NEWNS, NEWPID, NEWNET = 0x00020000, 0x20000000, 0x40000000
BIND, REC_SLAVE, NOSUID_NODEV = 0x1000, 0x84000, 6


class Kernel:
    """Takes every call and notes it; a file is noted by what it refers to."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.fails = ""

    def _take(self, name: str, *words: Any) -> int:
        self.calls.append((name, *words))
        return -1 if name == self.fails else 0

    def unshare(self, kinds: int) -> int:
        return self._take("unshare", kinds)

    def mount(self, source: bytes | None, place: bytes, kind: bytes | None, flags: int, data: bytes | None) -> int:
        if source is not None and source.startswith(b"/proc/self/fd/"):
            source = os.readlink(source)
        return self._take("mount", source, place, kind, flags, data)

    def umount2(self, place: bytes, flags: int) -> int:
        return self._take("umount2", place, flags)

    def setns(self, descriptor: int, kind: int) -> int:
        return self._take("setns", os.readlink(f"/proc/self/fd/{descriptor}").partition(":")[0], kind)


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    made = Kernel()
    monkeypatch.setattr(namespaces, "_libc", lambda: made)
    return made


@pytest.fixture(autouse=True)
def no_descriptor_is_left() -> Iterator[None]:
    gc.collect()  # it closes what tests before this one have forgotten
    before = os.listdir("/proc/self/fd")
    yield
    assert os.listdir("/proc/self/fd") == before


def test_nothing_private_is_nothing(kernel: Kernel) -> None:
    enter(Namespaces(), None)
    assert kernel.calls == []
    assert Namespaces().empty
    assert Namespaces(unprivileged=True).empty
    assert not Namespaces((("/a", "/b"),)).empty


@pytest.mark.parametrize(("name", "bit"), [("shared_memory", 1), ("processes", 2), ("network", 4), ("unprivileged", 8)])
def test_private_parts_as_the_module_wants_them(name: str, bit: int) -> None:
    own = Namespaces(**{name: True})  # type: ignore[arg-type]
    assert own.bits == bit
    assert own.empty == (name == "unprivileged")


def test_a_directory_covers_a_place(kernel: Kernel, tmp_path: Path) -> None:
    enter(Namespaces(((str(tmp_path), "/place"),)), None)
    assert kernel.calls == [
        ("unshare", NEWNS), ("mount", None, b"/", None, REC_SLAVE, None),
        ("mount", str(tmp_path).encode(), b"/place", None, BIND, None),
    ]  # fmt: skip


def test_a_network_of_its_own(kernel: Kernel) -> None:
    enter(Namespaces(network=True), None)
    assert kernel.calls == [("unshare", NEWNET)]


def test_shared_memory_of_its_own(kernel: Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(namespaces, "SHARED_MEMORY", str(tmp_path))
    enter(Namespaces(shared_memory=True, network=True), None)
    place = str(tmp_path).encode()
    assert kernel.calls == [
        ("unshare", NEWNS | NEWNET), ("mount", None, b"/", None, REC_SLAVE, None),
        ("mount", b"tmpfs", place, b"tmpfs", NOSUID_NODEV, b"mode=1777"),
    ]  # fmt: skip
    kernel.calls.clear()
    monkeypatch.setattr(namespaces, "SHARED_MEMORY", str(tmp_path / "none"))
    enter(Namespaces(shared_memory=True), None)
    assert len(kernel.calls) == 2, "a machine without it"


def test_what_the_kernel_refuses_is_an_error(kernel: Kernel) -> None:
    for name, call in (
        ("unshare", lambda: enter(Namespaces(network=True), None)),
        ("unshare", hide_mounts),
        ("mount", hide_mounts),
        ("umount2", lambda: namespaces.unmount("/place")),
        ("setns", lambda: join(os.getpid())),
    ):
        kernel.fails = name
        with pytest.raises(OSError) as caught:
            call()
        assert caught.value.filename == {"mount": "/", "umount2": "/place"}.get(name, name)


def test_mounts_are_hidden_and_taken_away(kernel: Kernel) -> None:
    hide_mounts()
    namespaces.unmount("/place")
    assert kernel.calls == [
        ("unshare", NEWNS), ("mount", None, b"/", None, REC_SLAVE, None), ("umount2", b"/place", 2),
    ]  # fmt: skip


def test_network_and_directories_of_a_process_are_entered(kernel: Kernel) -> None:
    join(os.getpid())
    assert kernel.calls == [("setns", "net", NEWNET), ("setns", "mnt", NEWNS)]
    with pytest.raises(FileNotFoundError):
        join(1 << 30)


def test_only_namespaces_of_others_are_entered(kernel: Kernel, tmp_path: Path) -> None:
    enter_all(f"/proc/{os.getpid()}")
    assert kernel.calls == []
    (tmp_path / "ns").mkdir()
    for kind in ("mnt", "user", "pid", "uts", "net"):
        (tmp_path / "ns" / kind).touch()
    enter_all(str(tmp_path))
    places = [str(tmp_path / "ns" / kind) for kind in ("user", "uts", "pid", "mnt")]
    assert kernel.calls == [("setns", place, 0) for place in places]


def test_a_process_is_started_in_a_namespace_of_processes(kernel: Kernel) -> None:
    space = ProcessSpace(os.getpid(), -1)
    with space.around():
        assert kernel.calls == [("setns", "pid", NEWPID)]
    assert kernel.calls == [("setns", "pid", NEWPID)] * 2, "we are outside again"
    with pytest.raises(OSError, match="here"), space.around():
        raise OSError("here")
    assert len(kernel.calls) == 4


def space_with(data: bytes | None) -> ProcessSpace:
    """A namespace whose first process has said this; None: it was killed with what we had sent to it."""
    import socket

    ours, theirs = socket.socketpair()
    space = ProcessSpace(5, ours.detach())
    if data is None:
        space.go_on()
    else:
        theirs.sendall(data)
    theirs.close()
    return space


@pytest.mark.parametrize(
    ("data", "ended"),
    [
        (struct.pack("=4q", 256, 1_500_000, 250_000, 77), Ended(256, 1.5, 0.25, 77)),
        (b"short", None), (b"", None), (None, None),
    ],
)  # fmt: skip
def test_the_first_process_tells_the_end(data: bytes | None, ended: Ended | None) -> None:
    space = space_with(data)
    assert space.ended() == ended
    space.go_on()  # it may be gone
    space.close()
    assert space.told == -1
    space.close()
    assert "told" not in repr(space)


@pytest.mark.parametrize(
    ("status", "may"),
    [
        ("Name:\tx\nCapEff:\t0000000000200000\n", True), ("CapEff:\t000001ffffdfffff\n", False), ("Name:\tx\n", False),
        ("CapEff:\t000001ffffffffff\nCapBnd:\t0\n", True),
    ],
)  # fmt: skip
def test_root_may_mount_unless_a_container_has_taken_that_away(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, status: str, may: bool
) -> None:
    (tmp_path / "status").write_text(status)

    def opened(path: str, **named: Any) -> Any:
        assert path == "/proc/self/status"
        return (tmp_path / "status").open(**named)

    monkeypatch.setattr(namespaces, "open", opened, raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    namespaces._root_may_mount.cache_clear()
    assert namespaces.may_mount() is may
    (tmp_path / "status").unlink()
    namespaces._root_may_mount.cache_clear()
    assert namespaces.may_mount() is False
    monkeypatch.setattr(os, "geteuid", lambda: 7)
    assert namespaces.may_mount() is False
    namespaces._root_may_mount.cache_clear()


# ---- means --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mounts", [True, False])
@pytest.mark.parametrize("module", [True, False])
def test_the_means_of_root(monkeypatch: pytest.MonkeyPatch, mounts: bool, module: bool) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(means, "may_mount", lambda: mounts)
    monkeypatch.setattr(means, "quick", lambda: module)
    assert means.means() == Means(mounts, mounts and module, mounts, False)


@pytest.mark.parametrize("works", ["shared_memory", "processes", "network", "everything", "nothing"])
@pytest.mark.parametrize("module", [True, False])
def test_the_means_of_others_are_tried(monkeypatch: pytest.MonkeyPatch, works: str, module: bool) -> None:
    """Once: a kernel does not change its mind."""
    tried: list[Namespaces] = []

    def trial(own: Namespaces) -> bool:
        tried.append(own)
        assert own.unprivileged
        return works == "everything" or bool(getattr(own, works, False))

    monkeypatch.setattr(os, "geteuid", lambda: 7)
    monkeypatch.setattr(means, "quick", lambda: module)
    monkeypatch.setattr(means, "_works", trial)
    means._without_root.cache_clear()
    found = means.means()
    every = works == "everything"
    expected = Means(
        every or works == "shared_memory", every or works == "processes", every or works == "network", True
    )
    assert found == (expected if module else Means(False, False, False, True))
    assert means.means() == found
    assert len(tried) == (3 if module else 0)
    means._without_root.cache_clear()


def test_a_trial_is_a_program_in_such_a_namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Any] = []

    def start(launch: Any, streams: tuple[int, int, int]) -> subprocess.Popen[bytes]:
        assert len({os.fstat(each).st_rdev for each in streams}) == 1
        started.append(launch)
        return subprocess.Popen([program])

    monkeypatch.setattr(means, "start_on", start)
    own = Namespaces(network=True, unprivileged=True)
    for path, works in (("/bin/true", True), ("/bin/false", False)):
        program = path
        assert means._works(own) is works
    assert (started[0].argv, started[0].program, started[0].own) == (("/bin/true",), "/bin/true", own)
    for error in (OSError(1, "no"), subprocess.SubprocessError("no")):

        def refuse(launch: Any, streams: Any, error: Exception = error) -> Any:
            raise error

        monkeypatch.setattr(means, "start_on", refuse)
        assert means._works(own) is False


@apart
def test_a_trial_with_processes_of_its_own_leaves_nothing() -> None:
    """Its first process is killed when the program has told its end."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        good, bad = (struct.pack("=4q", status, 0, 0, 0) for status in (0, 256))
        for data, works in ((good, True), (bad, False), (b"", False)):
            first = subprocess.Popen(["/bin/sleep", "1000"])
            space = space_with(data)
            space.first = first.pid
            started = Started(1, space=space)
            monkeypatch.setattr(means, "start_on", lambda launch, streams, started=started: started)
            assert means._works(Namespaces(processes=True, unprivileged=True)) is works
            assert space.told == -1
            with pytest.raises(ProcessLookupError):
                os.kill(first.pid, signal.SIGTERM)
