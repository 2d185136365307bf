"""The credentials of a job in its scratch directory (``.condor_creds``), renewed while it runs."""

from __future__ import annotations

import os
from contextlib import suppress

from condor_py.daemons.common.logfile import DaemonLog
from condor_py.daemons.common.loop import Loop, Timer, unset_timer
from condor_py.lang.classad import ClassAd
from condor_py.machine.run import trees
from condor_py.machine.run.identity import Account, as_user
from condor_py.machine.run.places import CREDENTIALS_NAME
from condor_py.machine.run.run import Run
from condor_py.machine.run.userfiles import open_user_file
from condor_py.model.settings.credentials import CredentialSettings
from condor_py.model.states import HoldCode, Universe
from condor_py.store.credentials import is_name, read_private

#: HTCondor's reason, whatever lacks.
_LACKING = "Job credentials are not available"
_TOKEN, _TICKET = ".use", ".cc"
#: Bytes of credentials for one hook: the schedd copies them, and no other job is to wait for that.
_MOST_HANDED_OUT = 4 << 20


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
        self._copies = sources(self._settings, owner, ad)
        if not self._copies:
            return
        if any(name.endswith(_TOKEN) for name in self._copies):
            self.variables["_CONDOR_CREDS"] = self._directory
        if f"{owner}{_TICKET}" in self._copies:
            self.variables["KRB5CCNAME"] = f"FILE:{self._directory}/{owner}{_TICKET}"

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


def sources(settings: CredentialSettings, owner: str, ad: ClassAd) -> dict[str, str]:
    """Return the names of the credentials that a job asks for, and the files that they are copies of. ValueError for
    what cannot be there."""
    if ad.eval_int("JobUniverse", 0) == Universe.SCHEDULER:
        return {}
    found = {}
    if services := ad.eval_str("OAuthServicesNeeded", "") or "":
        if not settings.oauth:
            raise ValueError("SEC_CREDENTIAL_DIRECTORY_OAUTH is not set")
        for service in services.replace(",", " ").split():
            name = service.replace("*", "_")
            if not is_name(name) or not is_name(owner):
                raise ValueError("illegal character in the name of a service")
            found[f"{name}{_TOKEN}"] = f"{settings.oauth}/{owner}/{name}{_TOKEN}"
    if ad.eval_bool("SendCredential", False) is True:
        if not settings.krb:
            raise ValueError("SEC_CREDENTIAL_DIRECTORY_KRB is not set")
        if not is_name(owner):
            raise ValueError("illegal character in the name of the owner")
        found[f"{owner}{_TICKET}"] = f"{settings.krb}/{owner}{_TICKET}"
    return found


def hand_out(settings: CredentialSettings, ad: ClassAd, account: Account | None, directory: str) -> bool:
    """Copy the credentials of a job to a new directory, for a hook at the access point; False where it has none.

    The directory is ours, and of each file ``account`` may only read it. OSError, ValueError.
    """
    found = sources(settings, ad.eval_str("Owner", "") or "", ad)
    if not found:
        return False
    trees.remove(directory)  # what a crash left there
    os.makedirs(directory, 0o755)
    left = _MOST_HANDED_OUT
    for name, source in found.items():
        data = read_private(source, trusting=settings.trusts)
        left -= len(data)
        if left < 0:
            raise ValueError(f"its credentials have more than {_MOST_HANDED_OUT} bytes")
        handle = open_user_file(f"{directory}/{name}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400)
        with open(handle, "wb") as file:
            file.write(data)
            if account is not None:
                os.fchown(handle, account.uid, account.gid)
    return True


def _stamp(path: str) -> int:
    """The time of a file's last change in nanoseconds; 0 where it is not there."""
    try:
        return os.stat(path, follow_symlinks=False).st_mtime_ns
    except OSError:
        return 0
