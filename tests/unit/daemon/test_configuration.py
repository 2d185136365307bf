"""What a daemon was told at run time: who may, what is refused, and what survives a crash."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from condor_py.client.wire import Peer
from condor_py.daemons.common.configuration import DaemonConfiguration
from condor_py.lang.config import Config, ConfigError, load
from condor_py.lang.config.dynamic import Dynamic, assigned, listed
from condor_py.model.errors import PermissionDenied, StoreError
from condor_py.store.fs import RealFs
from condor_py.store.runtime_config import PersistentSettings

OWNER = Peer(1, os.geteuid(), 0)
STRANGER = Peer(2, 65530, 65530)


def _prepare(config: Config) -> Callable[[], None]:
    """A daemon with two numbers."""
    config.integer("MAX_JOBS_RUNNING")
    config.integer("NEGOTIATOR_INTERVAL")
    return lambda: None


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Writes the root file; run time is on, and the owner may set anything, the others WRITABLE."""
    monkeypatch.setenv("CONDOR_CONFIG", str(tmp_path / "root"))
    persistent = f"ENABLE_PERSISTENT_CONFIG = true\nPERSISTENT_CONFIG_DIR = {tmp_path}\n"
    settable = "SETTABLE_ATTRS_ADMINISTRATOR = *\nSETTABLE_ATTRS_WRITE = writable*\n"
    on = f"{persistent}ENABLE_RUNTIME_CONFIG = true\n{settable}"

    def call(text: str) -> None:
        (tmp_path / "root").write_text(on + text)

    call("")
    return call


def _set(daemon: DaemonConfiguration, text: str, peer: Peer = OWNER, persistent: bool = False) -> None:
    daemon.set(assigned(text).lower(), text, peer, _prepare, persistent=persistent)


@pytest.mark.usefixtures("write")
def test_who_may_set_what() -> None:
    daemon = DaemonConfiguration("SCHEDD")
    _set(daemon, "FOO = 1")
    _set(daemon, "WRITABLE_2 = 1", STRANGER)
    with pytest.raises(PermissionDenied):
        _set(daemon, "FOO = 2", STRANGER)
    with pytest.raises(PermissionDenied):
        daemon.unset("foo", STRANGER, persistent=False)
    daemon.reload(_prepare)
    assert (daemon.config.string("FOO"), daemon.config.string("WRITABLE_2")) == ("1", "1")


@pytest.mark.usefixtures("write")
@pytest.mark.parametrize("persistent", [True, False])
def test_what_is_no_single_setting_is_refused(tmp_path: Path, persistent: bool) -> None:
    daemon = DaemonConfiguration("SCHEDD")
    for key, text in (
        ("foo", "FOO = 1\nSPOOL = /tmp"),
        ("foo", "BAR = 1"),
        ("../foo", "../FOO = 1"),
        ("$role/../x", "use ROLE/../X : Personal"),
        ("max_jobs_running", "MAX_JOBS_RUNNING = soon"),
    ):
        with pytest.raises((ConfigError, PermissionDenied)):
            daemon.set(key, text, OWNER, _prepare, persistent=persistent)
    assert sorted(os.listdir(tmp_path)) == ["root"]


def test_run_time_cannot_switch_itself_on(write: Callable[[str], None], tmp_path: Path) -> None:
    write("ENABLE_PERSISTENT_CONFIG = false\n")
    daemon = DaemonConfiguration("SCHEDD")
    _set(daemon, "ENABLE_PERSISTENT_CONFIG = true")
    daemon.reload(_prepare)
    with pytest.raises(PermissionDenied, match="ENABLE_PERSISTENT_CONFIG is false"):
        _set(daemon, "FOO = 1", persistent=True)
    assert sorted(os.listdir(tmp_path)) == ["root"]


def test_a_daemon_without_a_place_for_its_settings_does_not_start(write: Callable[[str], None]) -> None:
    write("PERSISTENT_CONFIG_DIR =\n")
    with pytest.raises(ConfigError, match="neither SCHEDD_CONFIG nor PERSISTENT_CONFIG_DIR"):
        DaemonConfiguration("SCHEDD")


def test_persistent_settings_outlive_the_daemon_and_win_over_files(write: Callable[[str], None]) -> None:
    write("FOO = file\n")
    first = DaemonConfiguration("SCHEDD")
    _set(first, "FOO = $(FOO) kept", persistent=True)
    _set(first, "FOO = $(FOO) gone")
    first.reload(_prepare)
    assert first.config.string("FOO") == "file kept gone"
    assert DaemonConfiguration("SCHEDD").config.string("FOO") == "file kept"
    assert DaemonConfiguration("STARTD").config.string("FOO") == "file"
    first.unset("foo", OWNER, persistent=True)
    assert DaemonConfiguration("SCHEDD").config.string("FOO") == "file"


def test_reload_keeps_single_values_or_everything(write: Callable[[str], None]) -> None:
    write("MAX_JOBS_RUNNING = 5\nNEGOTIATOR_INTERVAL = 6\n")
    daemon = DaemonConfiguration("SCHEDD")
    write("MAX_JOBS_RUNNING = $(NOPE)x\nNEGOTIATOR_INTERVAL = 7\n")
    outcome = daemon.reload(_prepare)
    assert (outcome.failed, len(outcome.refused)) == ("", 1)
    assert outcome.refused[0].endswith("MAX_JOBS_RUNNING stays 5")
    assert "root" in outcome.refused[0]
    assert daemon.config.integer("MAX_JOBS_RUNNING") == 5
    assert daemon.config.integer("NEGOTIATOR_INTERVAL") == 7
    before = daemon.config
    write("if\n")
    assert "root" in daemon.reload(_prepare).failed
    assert daemon.config is before
    write("")
    assert daemon.reload(_prepare) == ("", (), ())


def test_a_value_that_fails_through_another_knob(write: Callable[[str], None]) -> None:
    write("N = 5\nMAX_JOBS_RUNNING = $(N)\n")
    daemon = DaemonConfiguration("SCHEDD")
    write("N = five\nMAX_JOBS_RUNNING = $(N)\n")
    outcome = daemon.reload(_prepare)
    assert outcome.refused[0].endswith("MAX_JOBS_RUNNING stays 5")
    assert daemon.config.integer("MAX_JOBS_RUNNING") == 5
    assert daemon.config.string("N") == "five"


def test_files_of_others_are_not_trusted(write: Callable[[str], None], tmp_path: Path) -> None:
    (tmp_path / ".config.SCHEDD").write_text("nonsense\n")
    with pytest.raises(ConfigError, match="not a list of persistent settings"):
        DaemonConfiguration("SCHEDD")
    (tmp_path / ".config.SCHEDD").write_text("RUNTIME_CONFIG_ADMIN = foo\n")
    with pytest.raises(ConfigError, match="lists foo, but"):
        DaemonConfiguration("SCHEDD")
    if os.geteuid() == 0:
        (tmp_path / ".config.SCHEDD.foo").write_text("FOO = 1")
        os.chown(tmp_path / ".config.SCHEDD.foo", 65530, 65530)
        with pytest.raises(ConfigError, match="owned by uid 65530"):
            DaemonConfiguration("SCHEDD")


class _Dying(RealFs):
    """Fails, as a machine that is switched off does, after ``left`` changes."""

    def __init__(self, left: int) -> None:
        self.left = left

    def _change(self) -> None:
        if not self.left:
            raise OSError(5, "gone")
        self.left -= 1

    def create(self, path: str, mode: int) -> int:
        self._change()
        return super().create(path, mode)

    def write(self, handle: int, data: bytes) -> None:
        self._change()
        super().write(handle, data)

    def rename(self, old: str, new: str) -> None:
        self._change()
        super().rename(old, new)

    def unlink(self, path: str) -> None:
        self._change()
        super().unlink(path)


@pytest.mark.parametrize("action", ["set", "change", "unset", "unset the last"])
def test_a_crash_at_any_moment_leaves_the_old_or_the_new_setting(tmp_path: Path, action: str) -> None:
    path = str(tmp_path / ".config.SCHEDD")
    new = {"set": "2", "change": "3", "unset": "", "unset the last": ""}[action]
    for moment in range(12):
        for name in os.listdir(tmp_path):
            os.unlink(tmp_path / name)
        healthy = PersistentSettings(path)
        if action != "unset the last":
            healthy.set("a", "A = 1")
        if action != "set":
            healthy.set("b", "B = 2")
        dying = PersistentSettings(path, _Dying(moment))
        acknowledged = True
        try:
            if new:
                dying.set("b", f"B = {new}")
            else:
                dying.unset("b")
        except StoreError:
            acknowledged = False
        old = "" if action == "set" else "2"
        config = load({"CONDOR_CONFIG": "ONLY_ENV"}, subsystem="SCHEDD", dynamic=Dynamic(path))
        found = config.string("B")
        assert found == new if acknowledged else found in (old, new)
        assert config.string("A") == ("" if action == "unset the last" else "1")
    assert acknowledged
    assert "b" in listed(path) if new else "b" not in listed(path)


def test_what_somebody_has_changed_is_seen_once(write: Callable[[str], None]) -> None:
    write("FOO = 1\n")
    daemon = DaemonConfiguration("SCHEDD")
    assert daemon.edited() is None
    write("FOO = 22\n")
    edited = daemon.edited()
    assert edited is not None
    assert edited.string("FOO") == "22"
    assert daemon.config.string("FOO") == "1", "it is not in force"
    assert daemon.edited() is None
    write("FOO = 333\nif\n")
    assert daemon.edited() is None
    write("FOO = 4444\n")
    daemon.reload(_prepare)
    assert daemon.edited() is None
