"""``PersonalPool``: a pool of the caller's own, in a directory, that a program starts and stops."""

from __future__ import annotations

import atexit
import enum
import os
import subprocess
import textwrap
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from condor_py.bindings import session
from condor_py.bindings.collector import Collector
from condor_py.bindings.errors import HTCondorException
from condor_py.bindings.params import Param
from condor_py.bindings.schedd import Schedd
from condor_py.lang.classad import ClassAd

#: Seconds until a pool must be ready, and until its master must have ended.
_PATIENCE = 120.0
_PAUSE = 0.05
_PLACES = {"EXECUTE": "execute", "LOCK": "lock", "LOG": "log", "RUN": "run", "SPOOL": "spool"}
_SECRET = {
    "SEC_PASSWORD_DIRECTORY": "passwords.d",
    "SEC_TOKEN_DIRECTORY": "tokens.d",
    "SEC_TOKEN_SYSTEM_DIRECTORY": "system_tokens.d",
}


class PersonalPoolState(str, enum.Enum):  # noqa: UP042 - its text is that of a plain enumeration
    """The stages of a pool's life."""

    UNINITIALIZED = "UNINITIALIZED"
    INITIALIZED = "INITIALIZED"
    STARTING = "STARTING"
    READY = "READY"
    STOPPING = "STOPPING"
    STOPPED = "STOPPED"


class SetCondorConfig:
    """Has this process and its children use a configuration file: a context, or ``set`` and ``unset``."""

    def __init__(self, config_file: str | Path) -> None:
        self.config_file = Path(config_file)
        self.previous_value: str | None = None

    def set(self) -> None:
        """Use the file from now on."""
        self.previous_value = os.environ.get("CONDOR_CONFIG")
        os.environ["CONDOR_CONFIG"] = str(self.config_file)
        session.reload_config()

    def unset(self) -> None:
        """Use what was used before."""
        if self.previous_value is None:
            os.environ.pop("CONDOR_CONFIG", None)
        else:
            os.environ["CONDOR_CONFIG"] = self.previous_value
        session.reload_config()

    def __enter__(self) -> None:
        self.set()

    def __exit__(self, *error: object) -> None:
        self.unset()


class PersonalPool:
    """A pool in ``local_dir`` (default ``~/.condor/personal``): ``start``, ``stop``, or a context.

    ``config`` and ``raw_config`` are added to its configuration. With ``use_config`` the whole process uses it. It is
    stopped when the object or the process ends, unless ``detach`` is set.
    """

    def __init__(
        self,
        local_dir: str | Path | None = None,
        config: Mapping[str, str | None] | None = None,
        raw_config: str | None = None,
        detach: bool = False,
        use_config: bool = True,
    ) -> None:
        self._state = PersonalPoolState.UNINITIALIZED
        self._owner = os.getpid()
        self.local_dir = Path(local_dir or Path.home() / ".condor" / "personal").absolute()
        self.execute_dir = self.local_dir / "execute"
        self.lock_dir = self.local_dir / "lock"
        self.log_dir = self.local_dir / "log"
        self.run_dir = self.local_dir / "run"
        self.spool_dir = self.local_dir / "spool"
        self.passwords_dir = self.local_dir / "passwords.d"
        self.tokens_dir = self.local_dir / "tokens.d"
        self.system_tokens_dir = self.local_dir / "system_tokens.d"
        self.config_file = self.local_dir / "condor_config"
        self.condor_master: subprocess.Popen[bytes] | None = None
        self._detach = detach
        self._config = {name: "" if value is None else str(value) for name, value in (config or {}).items()}
        self._raw_config = raw_config or ""
        atexit.register(self._at_end)
        if use_config:
            self.initialize()
            self.use_config().set()

    @property
    def state(self) -> PersonalPoolState:
        """The stage of the pool's life."""
        return self._state

    def __repr__(self) -> str:
        return f"{type(self).__name__}(local_dir={self.local_dir}, state={self._state})"

    def use_config(self) -> SetCondorConfig:
        """A context in which this process uses the pool."""
        return SetCondorConfig(self.config_file)

    @property
    def collector(self) -> Collector:
        """The ads of the pool."""
        with self.use_config():
            return Collector()

    @property
    def schedd(self) -> Schedd:
        """The queue of the pool."""
        with self.use_config():
            return Schedd()

    def __enter__(self) -> PersonalPool:
        return self.start()

    def __exit__(self, *error: object) -> None:
        self.stop()

    def __del__(self) -> None:
        self._at_end()

    def _at_end(self) -> None:
        if not self._detach and self._owner == os.getpid():
            self.stop()

    # -- starting -----------------------------------------------------------------------------------------------------

    def start(self) -> PersonalPool:
        """Start the pool and wait until it is ready. Exception when another one runs there, or it does not start."""
        if self._state in (PersonalPoolState.STARTING, PersonalPoolState.READY):
            return self
        try:
            self.initialize()
            self._start_master()
            self._wait_until_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def initialize(self, overwrite_config: bool = True) -> PersonalPool:
        """Make the directories and the configuration file. FileExistsError when that must not be overwritten."""
        if self._state not in (PersonalPoolState.UNINITIALIZED, PersonalPoolState.STOPPED):
            return self
        for name in (*_PLACES.values(), *_SECRET.values()):
            (self.local_dir / name).mkdir(parents=True, exist_ok=True)
        for name in _SECRET.values():
            (self.local_dir / name).chmod(0o700)
        if self.config_file.exists() and not overwrite_config:
            raise FileExistsError(f"{self.config_file} exists and is not overwritten")
        self.config_file.write_text(self._configuration(), encoding="utf-8")
        self._state = PersonalPoolState.INITIALIZED
        return self

    def _configuration(self) -> str:
        places = {"LOCAL_DIR": self.local_dir.as_posix()}
        places |= {knob: (self.local_dir / name).as_posix() for knob, name in (_PLACES | _SECRET).items()}
        lines = ["# Where things are", *(f"{name} = {value}" for name, value in places.items())]
        lines += ["# One slot that is divided as jobs need it", "use ROLE: Personal", "UPDATE_INTERVAL = 2"]
        lines += ["POLLING_INTERVAL = 2", "NEGOTIATOR_INTERVAL = 2", "NUM_SLOTS_TYPE_1 = 1", "SLOT_TYPE_1 = 100%"]
        lines += ["SLOT_TYPE_1_PARTITIONABLE = TRUE", "SHUTDOWN_GRACEFUL_TIMEOUT = 1", "RUNBENCHMARKS = 0"]
        lines += ["# Given to the constructor", *(f"{name} = {value}" for name, value in self._config.items())]
        return "\n".join([*lines, *textwrap.dedent(self._raw_config).splitlines(), ""])

    def _start_master(self) -> None:
        if self._is_ready():
            name = type(self).__name__
            raise Exception(f"Cannot start a {name} in the same local_dir as an already-running {name}.")
        with self.use_config():
            # No pipe: no process reads it, and what the daemons have to say is in their logs.
            self.condor_master = subprocess.Popen(
                ["condor_master", "-f"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        self._state = PersonalPoolState.STARTING

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + _PATIENCE
        while not self._is_ready():
            if self.condor_master is not None and self.condor_master.poll() is not None:
                raise Exception(f"condor_master ended with {self.condor_master.returncode}: see {self.log_dir}")
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self} was not ready within {_PATIENCE:.0f} seconds: see {self.log_dir}")
            time.sleep(_PAUSE)
        self._state = PersonalPoolState.READY

    def _is_ready(self) -> bool:
        """Whether all daemons that the configuration names answer."""
        if not self.config_file.exists():
            return False
        with self.use_config():
            pool = session.pool()
            known = {"MASTER", "SCHEDD", "STARTD", "NEGOTIATOR"}
            wanted = {name.upper() for name in pool.config.list("DAEMON_LIST")} & known
            try:
                for name in wanted | {"MASTER"}:
                    session.reach(pool, name.lower())
                return "STARTD" not in wanted or bool(pool.ads("STARTD"))
            except HTCondorException:
                return False

    # -- stopping -----------------------------------------------------------------------------------------------------

    def stop(self) -> PersonalPool:
        """Stop the pool, with the jobs in it, and wait until it has ended."""
        if self._state in (PersonalPoolState.STARTING, PersonalPoolState.READY):
            self._state = PersonalPoolState.STOPPING
            master = self.condor_master
            if master is not None or self._is_ready():
                self.run_command(["condor_off", "-daemon", "master", "-fast"], check=False)
            self._wait_for_end(master)
            self._state = PersonalPoolState.STOPPED
        return self

    def _wait_for_end(self, master: subprocess.Popen[bytes] | None) -> None:
        deadline = time.monotonic() + _PATIENCE
        while master.poll() is None if master is not None else self._is_ready():
            if time.monotonic() > deadline:
                if master is not None:
                    master.kill()
                    master.wait()
                return
            time.sleep(_PAUSE)

    # -- use ----------------------------------------------------------------------------------------------------------

    def who(self) -> ClassAd:
        """The daemons as ``condor_who -quick`` describes them; empty when none runs."""
        from condor_py.lang.classad import parseOne

        try:
            found = parseOne(self.run_command(["condor_who", "-quick"], check=False).stdout)
        except (OSError, ValueError, HTCondorException):
            return ClassAd()
        return found if "MASTER" in found else ClassAd()

    def run_command(
        self,
        args: Sequence[object],
        stdout: Any = subprocess.PIPE,
        stderr: Any = subprocess.PIPE,
        universal_newlines: bool = True,
        **kwargs: Any,
    ) -> subprocess.CompletedProcess[Any]:
        """Run a program that uses the pool; the other arguments are those of ``subprocess.run``."""
        with self.use_config():
            kwargs.setdefault("check", False)
            done = subprocess.run(
                [str(word) for word in args], stdout=stdout, stderr=stderr, text=universal_newlines, **kwargs
            )
        done.stdout = done.stdout.rstrip() if done.stdout is not None else None
        done.stderr = done.stderr.rstrip() if done.stderr is not None else None
        return done

    def get_config_val(self, macro: str, default: str | None = None) -> Any:
        """The value of a knob of the pool. KeyError for one without value, unless there is a ``default``."""
        with self.use_config():
            try:
                return Param()[macro]
            except KeyError:
                if default is None:
                    raise
                return default

    @classmethod
    def attach(cls, local_dir: str | Path | None = None) -> PersonalPool:
        """The pool that runs in a directory already. Exception when there is none."""
        pool = cls.__new__(cls)
        PersonalPool.__init__(pool, local_dir, use_config=False)
        if not pool._is_ready():
            raise Exception(f"There is not already a running HTCondor instance for {pool}.")
        pool.use_config().set()
        pool._state = PersonalPoolState.READY
        return pool

    def detach(self) -> PersonalPool:
        """Leave the pool running when this object or the process ends."""
        self._detach = True
        return self
