"""Credentials of a job: which it gets, where, with whose rights, and how they are renewed."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from condor_py.daemons.starter import jobcredentials
from condor_py.daemons.starter.jobcredentials import JobCredentials, hand_out, sources
from condor_py.lang.classad import ClassAd
from condor_py.model.settings.credentials import CredentialSettings
from condor_py.model.states import HoldCode

BOTH = '[ Owner = "ann"; OAuthServicesNeeded = "box, drive*work"; SendCredential = true ]'


class Loop:
    """Timers that a test fires."""

    def __init__(self) -> None:
        self.timers: list[tuple[float, Callable[[], None]]] = []
        self.cancelled = 0

    def after(self, seconds: float, then: Callable[[], None]) -> Any:
        self.timers.append((seconds, then))
        return SimpleNamespace(cancel=self._cancel)

    def _cancel(self) -> None:
        self.cancelled += 1


class Run:
    """A run of ann's job in a scratch directory."""

    def __init__(self, scratch: Path) -> None:
        self.place = SimpleNamespace(sandbox=SimpleNamespace(scratch=str(scratch)))
        self.job, self.report = SimpleNamespace(owner="ann"), SimpleNamespace(job="7.0")
        self.submitter = self.owner = None
        self.refused: list[tuple[int, str]] = []

    def refuse(self, code: int, reason: str) -> None:
        self.refused.append((code, reason))


@pytest.fixture
def settings(tmp_path: Path) -> CredentialSettings:
    """Directories with a token of two services and a ticket of ann's."""
    for name in ("oauth/ann", "krb"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name).chmod(0o700)
    for name in ("oauth/ann/box.use", "oauth/ann/drive_work.use", "krb/ann.cc"):
        (tmp_path / name).write_text(f"secret of {name}")
        (tmp_path / name).chmod(0o600)
    return CredentialSettings(oauth=f"{tmp_path}/oauth", krb=f"{tmp_path}/krb", refresh=300)


def test_which_credentials_a_job_gets(settings: CredentialSettings) -> None:
    found = sources(settings, "ann", ClassAd(BOTH))
    assert found == {
        "box.use": f"{settings.oauth}/ann/box.use", "drive_work.use": f"{settings.oauth}/ann/drive_work.use",
        "ann.cc": f"{settings.krb}/ann.cc",
    }  # fmt: skip
    assert sources(settings, "ann", ClassAd("[ SendCredential = false ]")) == {}
    assert sources(settings, "ann", ClassAd(f"{BOTH[:-1]}; JobUniverse = 7 ]")) == {}, "it reads what is stored itself"


@pytest.mark.parametrize(
    ("owner", "ad", "changes", "why"),
    [
        ("ann", '[ OAuthServicesNeeded = "box" ]', {"oauth": ""}, "SEC_CREDENTIAL_DIRECTORY_OAUTH is not set"),
        ("ann", "[ SendCredential = true ]", {"krb": ""}, "SEC_CREDENTIAL_DIRECTORY_KRB is not set"),
        ("ann", '[ OAuthServicesNeeded = "../bea/box" ]', {}, "illegal character in the name of a service"),
        ("../bea", '[ OAuthServicesNeeded = "box" ]', {}, "illegal character in the name of a service"),
        ("../bea", "[ SendCredential = true ]", {}, "illegal character in the name of the owner"),
    ],
)
def test_names_lead_nowhere_else(
    settings: CredentialSettings, owner: str, ad: str, changes: dict[str, str], why: str
) -> None:
    with pytest.raises(ValueError, match=f"^{why}$"):
        sources(settings.changed(**changes), owner, ClassAd(ad))


def test_they_are_in_the_scratch_directory_of_the_job(settings: CredentialSettings, tmp_path: Path) -> None:
    log: list[str] = []
    run, scratch = Run(tmp_path), tmp_path / ".condor_creds"
    credentials = JobCredentials(settings, Loop(), SimpleNamespace(write=log.append))  # type: ignore[arg-type]
    assert credentials.bring(run, ClassAd(BOTH))  # type: ignore[arg-type]
    assert {path.name: path.read_text() for path in scratch.iterdir()} == {
        "box.use": "secret of oauth/ann/box.use", "drive_work.use": "secret of oauth/ann/drive_work.use",
        "ann.cc": "secret of krb/ann.cc",
    }  # fmt: skip
    assert all(stat.S_IMODE(path.stat().st_mode) & 0o077 == 0 for path in scratch.iterdir())
    assert credentials.variables == {"_CONDOR_CREDS": str(scratch), "KRB5CCNAME": f"FILE:{scratch}/ann.cc"}
    assert (log, run.refused) == ([], [])


def test_a_job_without_any_has_no_directory(settings: CredentialSettings, tmp_path: Path) -> None:
    loop, run = Loop(), Run(tmp_path)
    credentials = JobCredentials(settings, loop, SimpleNamespace(write=print))  # type: ignore[arg-type]
    assert credentials.bring(run, ClassAd("[ A = 1 ]"))  # type: ignore[arg-type]
    credentials.follow(run)  # type: ignore[arg-type]
    assert (credentials.variables, loop.timers) == ({}, [])
    assert not (tmp_path / ".condor_creds").exists()


def test_nothing_is_renewed_where_that_is_not_wanted(settings: CredentialSettings, tmp_path: Path) -> None:
    loop, run = Loop(), Run(tmp_path)
    credentials = JobCredentials(settings.changed(refresh=0), loop, SimpleNamespace(write=print))  # type: ignore[arg-type]
    assert credentials.bring(run, ClassAd(BOTH))  # type: ignore[arg-type]
    credentials.follow(run)  # type: ignore[arg-type]
    assert loop.timers == []


def test_a_job_that_lacks_one_is_held(settings: CredentialSettings, tmp_path: Path) -> None:
    (tmp_path / "krb" / "ann.cc").unlink()
    log: list[str] = []
    run = Run(tmp_path)
    credentials = JobCredentials(settings, Loop(), SimpleNamespace(write=log.append))  # type: ignore[arg-type]
    assert not credentials.bring(run, ClassAd(BOTH))  # type: ignore[arg-type]
    assert run.refused == [(int(HoldCode.CORRUPTED_CREDENTIAL), "Job credentials are not available")]
    assert log[0].startswith("Job 7.0: no credentials: ")


def test_what_is_renewed_comes_to_the_running_job(settings: CredentialSettings, tmp_path: Path) -> None:
    """Only what has changed is copied; what is gone leaves the job what it has."""
    loop, log, run = Loop(), [], Run(tmp_path)
    credentials = JobCredentials(settings, loop, SimpleNamespace(write=log.append))  # type: ignore[arg-type]
    credentials.bring(run, ClassAd(BOTH))  # type: ignore[arg-type]
    credentials.follow(run)  # type: ignore[arg-type]
    ((seconds, renew),) = loop.timers
    assert seconds == 300.0
    renew()
    assert (log, len(loop.timers)) == ([], 2)
    token = tmp_path / "oauth" / "ann" / "box.use"
    token.write_text("newer")
    (tmp_path / ".condor_creds" / "box.use.tmp").write_text("what a crash has left")
    os.utime(token, (5, 5))
    (tmp_path / "krb" / "ann.cc").unlink()
    loop.timers[1][1]()
    assert (tmp_path / ".condor_creds" / "box.use").read_text() == "newer"
    assert (tmp_path / ".condor_creds" / "ann.cc").read_text() == "secret of krb/ann.cc"
    assert log == ["Job 7.0: renewed box.use", "Job 7.0: cannot renew ann.cc: No such file or directory"]
    before = loop.cancelled
    credentials.end()
    assert loop.cancelled == before + 1


def test_a_hook_gets_copies_that_it_can_only_read(
    settings: CredentialSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "handed"
    assert not hand_out(settings, ClassAd('[ Owner = "ann" ]'), None, str(place))
    place.mkdir()
    (place / "old").write_text("of a crash")
    assert hand_out(settings, ClassAd(BOTH), None, str(place))
    assert sorted(path.name for path in place.iterdir()) == ["ann.cc", "box.use", "drive_work.use"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in place.iterdir()} == {0o400}
    whole = sum(path.stat().st_size for path in place.iterdir())
    monkeypatch.setattr(jobcredentials, "_MOST_HANDED_OUT", whole)
    assert hand_out(settings, ClassAd(BOTH), None, str(place))
    monkeypatch.setattr(jobcredentials, "_MOST_HANDED_OUT", whole - 1)
    with pytest.raises(ValueError, match=f"^its credentials have more than {whole - 1} bytes$"):
        hand_out(settings, ClassAd(BOTH), None, str(place))
