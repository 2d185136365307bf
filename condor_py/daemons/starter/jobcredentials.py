"""The credentials of a job in its scratch directory (``.condor_creds``), renewed while it runs."""

from __future__ import annotations

import os
from contextlib import suppress

from condor_py.daemons.common.logfile import DaemonLog
from condor_py.daemons.common.loop import Loop, Timer, unset_timer
from condor_py.lang.classad import ClassAd
from condor_py.machine.run.identity import Account, as_user
from condor_py.machine.run.places import CREDENTIALS_NAME
from condor_py.machine.run.run import Run
from condor_py.machine.run.userfiles import open_user_file
from condor_py.model.settings.credentials import CredentialSettings
from condor_py.model.states import HoldCode, Universe
from condor_py.store.credentials import is_name, read_private

#: HTCondor's reason, whatever lacks.
_LACKING = "Job credentials are not available"


class JobCredentials:
    """Those of the present run. Files are read with our rights and written with those of the job's account."""

    def __init__(self, settings: CredentialSettings, loop: Loop, log: DaemonLog) -> None:
        self._settings, self._loop, self._log = settings, loop, log
        #: Names in the job's directory, the files that they are copies of, and the times of these.
        self._copies: dict[str, str] = {}
        self._times: dict[str, int] = {}
        self._directory = ""
        self._timer: Timer = unset_timer()
        #: Variables of the job's environment.
        self.variables: dict[str, str] = {}

    def bring(self, run: Run, ad: ClassAd) -> bool:
        """Put there what the job needs, when its scratch directory is new. False when it lacks: the job is held."""
        self.end()
        self._directory = f"{run.place.sandbox.scratch}/{CREDENTIALS_NAME}"
        self._copies, self._times, self.variables = {}, {}, {}
        try:
            self._find(run.job.owner, ad)
            if not self._copies:
                return True
            with as_user(run.submitter):
                os.mkdir(self._directory, 0o755)
            for name in self._copies:
                self._copy(name, run.submitter)
        except (OSError, ValueError) as error:
            self._log.write(f"Job {run.report.job}: no credentials: {error}")
            run.refuse(int(HoldCode.CORRUPTED_CREDENTIAL), _LACKING)
            return False
        return True

    def follow(self, run: Run) -> None:
        """The program runs: bring what was renewed every SEC_CREDENTIAL_REFRESH seconds."""
        if self._copies and self._settings.refresh > 0:
            self._timer = self._loop.after(float(self._settings.refresh), lambda: self._renew(run))

    def end(self) -> None:
        """The program is over."""
        self._timer.cancel()

    def _find(self, owner: str, ad: ClassAd) -> None:
        """Note what the ad asks for. ValueError for what cannot be there."""
        if ad.eval_int("JobUniverse", 0) == Universe.SCHEDULER:
            return
        settings, services = self._settings, ad.eval_str("OAuthServicesNeeded", "") or ""
        if services:
            if not settings.oauth:
                raise ValueError("SEC_CREDENTIAL_DIRECTORY_OAUTH is not set")
            for service in services.replace(",", " ").split():
                name = service.replace("*", "_")
                if not is_name(name) or not is_name(owner):
                    raise ValueError("illegal character in the name of a service")
                self._copies[f"{name}.use"] = f"{settings.oauth}/{owner}/{name}.use"
            self.variables["_CONDOR_CREDS"] = self._directory
        if ad.eval_bool("SendCredential", False) is True:
            if not settings.krb:
                raise ValueError("SEC_CREDENTIAL_DIRECTORY_KRB is not set")
            if not is_name(owner):
                raise ValueError("illegal character in the name of the owner")
            self._copies[f"{owner}.cc"] = f"{settings.krb}/{owner}.cc"
            self.variables["KRB5CCNAME"] = f"FILE:{self._directory}/{owner}.cc"

    def _copy(self, name: str, owner: Account | None) -> None:
        source = self._copies[name]
        when = _stamp(source)
        data = read_private(source, trusting=self._settings.trusts)
        path = f"{self._directory}/{name}"
        with as_user(owner):
            with suppress(FileNotFoundError):
                os.unlink(f"{path}.tmp")
            handle = open_user_file(f"{path}.tmp", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            with open(handle, "wb") as file:
                file.write(data)
            os.rename(f"{path}.tmp", path)
        self._times[name] = when

    def _renew(self, run: Run) -> None:
        """Bring the files that have changed. What is gone or cannot be written leaves the job what it has."""
        self.follow(run)
        for name, source in self._copies.items():
            if _stamp(source) == self._times.get(name):
                continue
            try:
                self._copy(name, run.owner)
            except OSError as error:
                self._log.write(f"Job {run.report.job}: cannot renew {name}: {error.strerror}")
            else:
                self._log.write(f"Job {run.report.job}: renewed {name}")


def _stamp(path: str) -> int:
    """The time of a file's last change in nanoseconds; 0 where it is not there."""
    try:
        return os.stat(path, follow_symlinks=False).st_mtime_ns
    except OSError:
        return 0
