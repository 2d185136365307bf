"""The hook that prepares a job at the access point, before anything is sent to its slot (SHADOW_PREPARE_JOB).

It runs as the job's owner with the environment of the schedd, reads the job's ad and prints what the run is to have in
its place; the queue keeps the ad as it is. The job's credentials are in ``_CONDOR_CREDS`` until it ends. Nothing here
blocks.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from condor_py.daemons.common.hookpath import chosen, unusable
from condor_py.daemons.common.logfile import DaemonLog
from condor_py.daemons.common.loop import Loop, Timer, now
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.formats.old import sorted_lines
from condor_py.machine.run.identity import Account, UnknownAccount, account
from condor_py.model.arguments import ArgumentError, split_v2
from condor_py.model.messages.claims import Activate
from condor_py.model.report import ExitReport
from condor_py.model.settings.daemon import LogSettings
from condor_py.model.settings.schedd import ShadowHook, ShadowHooks
from condor_py.model.states import HoldCode

if TYPE_CHECKING:
    from condor_py.daemons.common.program import Ended, Program
    from condor_py.daemons.starter.starterhooks import Pairs, Prepared

_NAME = "SHADOW_PREPARE_JOB"
#: Bytes that a hook may print: reading 1 MB of attributes takes the schedd a second, in which all others wait.
_MOST = 500_000
#: The subcode of a vacated run whose hook wants another try.
_TRY_AGAIN = -1000


def hook_for(settings: ShadowHooks, job: ClassAd) -> ShadowHook | None:
    """The hook of a job: SHADOW_JOB_HOOK_KEYWORD, else the job's HookKeyword if the configuration knows it, else
    SHADOW_DEFAULT_JOB_HOOK_KEYWORD."""
    return chosen(settings.hooks, settings.job_keyword, settings.default_keyword, job)


@dataclass(slots=True)
class _Work:
    """A start that waits for its hook."""

    effect: Activate
    program: Program | None = None
    #: The directory with the job's credentials; "" for none.
    credentials: str = ""
    limit: Timer = field(default_factory=lambda: Timer(_nothing))


class Preparations:
    """The starts that wait for a hook. ``where`` is SHADOW_LOG; ``go`` sends a job to its slot with changes of its ad,
    ``over`` takes the report of one that does not start.

    ``spool`` has the credentials of jobs while their hooks run. ``niceness`` gives SHADOW_RENICE_INCREMENT. ``edited``
    gives the hooks that the configuration has by now; None where nobody has changed it. Each of
    HTCondor's shadows reads it again.
    """

    def __init__(
        self,
        loop: Loop,
        where: LogSettings,
        settings: ShadowHooks,
        edited: Callable[[], ShadowHooks | None],
        go: Callable[[Activate, Pairs], None],
        over: Callable[[ExitReport], None],
        niceness: Callable[[], int] = int,
        spool: str = "",
    ) -> None:
        self._loop = loop
        self._where = where
        self._own_log: DaemonLog | None = None
        self._go = go
        self._over = over
        self._niceness = niceness
        self._spool = spool
        self._waiting: dict[str, _Work] = {}
        self._settings = settings
        self._edited = edited

    def configure(self, settings: ShadowHooks) -> None:
        """Takes other hooks."""
        self._settings = settings

    def tell(self, text: str) -> None:
        """A line for SHADOW_LOG."""
        self._made_log().write(text)

    def _made_log(self) -> DaemonLog:
        """SHADOW_LOG, which is made when the first job is sent to a slot."""
        if self._own_log is None:
            self._own_log = DaemonLog(self._where, "shadow", pid=True)
        return self._own_log

    def begin(self, effect: Activate, ad: ClassAd) -> bool:
        """Runs the hook of a job that is to start; False when it has none."""
        self._made_log()
        if self._settings.hooks:
            self._settings = self._edited() or self._settings
        hook = hook_for(self._settings, ad) if self._settings.hooks else None
        if hook is None:
            return False
        work = self._waiting[effect.claim] = _Work(effect)
        problem = self._run(work, hook, ad)
        if problem:
            self.tell(f"ERROR: {_NAME} of job {effect.job}: {problem}")
            self._refuse(work, f"failed to execute {_NAME} ({hook.path})")
        else:
            self.tell(f"{_NAME} ({hook.path}) invoked.")
            work.limit = self._loop.after(hook.timeout, lambda: self._late(work))
        return True

    def stop(self, claim_id: str) -> bool:
        """The start on a claim is not wanted any more; False when none waits."""
        work = self._waiting.get(claim_id)
        if work is None:
            return False
        self._end(work)
        self._over(self._report(work, vacated=True))
        return True

    def close(self) -> None:
        """Kills the hooks."""
        for work in list(self._waiting.values()):
            self._end(work)

    def _run(self, work: _Work, hook: ShadowHook, ad: ClassAd) -> str:
        """Starts the hook; what is wrong, empty for nothing."""
        from condor_py.daemons.common.program import Program

        problem = unusable(hook.path)
        if problem:
            return f"{hook.path} {problem}: refusing to use it"
        try:
            work.program = Program(
                self._loop,
                [hook.path, *split_v2(hook.arguments)],
                on_end=lambda ended: self._ended(work, hook, ended),
                environment={**os.environ, **self._hand_out_credentials(work, ad)},
                directory="/",
                stdin=sorted_lines(ad.text_items()).encode("utf-8", "surrogateescape"),
                user=_owner(ad),
                most=_MOST,
                niceness=self._niceness(),
            )
        except (ArgumentError, UnknownAccount, ValueError) as error:
            return str(error)
        except OSError as error:
            return f"cannot run {hook.path}: {error.strerror}"
        return ""

    def _hand_out_credentials(self, work: _Work, ad: ClassAd) -> dict[str, str]:
        """Put the job's credentials where its hook finds them, and return the variable that names the place.
        ValueError where they are not to be had."""
        if not ad.eval_str("OAuthServicesNeeded", "") and ad.eval_bool("SendCredential", False) is not True:
            return {}
        from condor_py.daemons.starter.jobcredentials import hand_out  # many modules, and few jobs have credentials

        job = work.effect.job
        work.credentials = f"{self._spool}/{job.cluster % 10_000}/_condor_creds.cluster{job.cluster}.proc{job.proc}"
        try:
            there = hand_out(self._settings.credentials, ad, _owner(ad), work.credentials)
        except OSError as error:
            raise ValueError(f"no credentials: {error}") from None
        return {"_CONDOR_CREDS": work.credentials} if there else {}

    def _ended(self, work: _Work, hook: ShadowHook, ended: Ended) -> None:
        if self._waiting.get(work.effect.claim) is not work:
            return
        if ended.err:
            self.tell(f"hook {hook.path} printed to stderr: {ended.err.decode(errors='replace').rstrip()}")
        from condor_py.daemons.starter.starterhooks import decision  # many modules, and few pools have such a hook

        self._decided(work, decision(_NAME, hook.path, ended))

    def _decided(self, work: _Work, prepared: Prepared) -> None:
        if prepared.message:
            self.tell(f"Job {work.effect.job}: {prepared.message}")
        if prepared.ok:
            self._forget(work)
            self._go(work.effect, prepared.changes)
        elif prepared.status < 300:
            self._forget(work)
            code = int(HoldCode.HOOK_SHADOW_PREPARE_JOB_FAILURE)
            held = {"hold_code": code, "hold_subcode": prepared.status, "hold_reason": prepared.message}
            self._over(self._report(work, **held))
        else:
            self._refuse(work, prepared.message, _TRY_AGAIN)

    def _late(self, work: _Work) -> None:
        self.tell(f"{_NAME} of job {work.effect.job} timed out")
        self._refuse(work, "Submit-side job hook execution timed out")

    def _refuse(self, work: _Work, why: str, subcode: int = 0) -> None:
        """The run is over; the job tries again."""
        self._end(work)
        code = int(HoldCode.HOOK_SHADOW_PREPARE_JOB_FAILURE)
        self._over(self._report(work, error=why, vacate_code=code, vacate_subcode=subcode))

    def _report(self, work: _Work, **outcome: object) -> ExitReport:
        given = {"start_time": now(), "end_time": now(), **outcome}
        effect = work.effect
        return ExitReport(effect.claim, str(effect.job), effect.run, **given)  # type: ignore[arg-type]

    def _end(self, work: _Work) -> None:
        self._forget(work)
        if work.program is not None:
            work.program.kill()

    def _forget(self, work: _Work) -> None:
        work.limit.cancel()
        self._waiting.pop(work.effect.claim, None)
        if work.credentials:
            from condor_py.machine.run import trees

            try:
                trees.remove(work.credentials)
            except OSError as error:
                self.tell(f"cannot remove {work.credentials}: {error.strerror}")


def _owner(ad: ClassAd) -> Account | None:
    """As root the job's owner; otherwise there is only our account."""
    return account(ad.eval_str("OsUser", None) or ad.eval_str("Owner", "") or "") if os.geteuid() == 0 else None


def _nothing() -> None:
    """The timer that is not set."""
