"""Runs the hooks that fetch work for slots, and informs them of the outcome (manual: Hooks for Fetching Work)."""

from __future__ import annotations

import os
from collections.abc import Callable

from condor_py.core.slots import effects as do
from condor_py.core.slots import events as on
from condor_py.daemons.common.condorids import Home
from condor_py.daemons.common.hookpath import unusable
from condor_py.daemons.common.loop import Loop
from condor_py.daemons.common.program import Ended, Program
from condor_py.lang.classad import ClassAd, is_valid
from condor_py.lang.classad.formats.old import sorted_lines, split_line

_BETWEEN = "-----\n"


class FetchHookRunner:
    """Takes the effects for hooks; jobs come back as events. ``slot_ad`` returns a slot's ad by its name; ``home`` has
    the account that the hooks run as."""

    def __init__(
        self,
        loop: Loop,
        log: Callable[[str], None],
        handle: Callable[[on.Event], object],
        slot_ad: Callable[[str], ClassAd | None],
        home: Home,
    ) -> None:
        self._home = home
        self._warned = False
        self._loop = loop
        self._log = log
        self._handle = handle
        self._slot_ad = slot_ad
        self._programs: set[Program] = set()

    def obey(self, effect: do.Effect) -> bool:
        """Carries out an effect that is for a hook; False for any other."""
        match effect:
            case do.FetchWork(slot_name, program):
                self._loop.soon(lambda: self._fetch(slot_name, program))
            case do.ReplyFetch(program, accept, job_ad, slot_ad, claim_id):
                self._run(program, ["accept" if accept else "reject"], _two_ads(job_ad, slot_ad, claim_id))
            case do.EvictFetched(program, job_ad, slot_ad, claim_id):
                self._run(program, [], _two_ads(job_ad, slot_ad, claim_id))
            case _:
                return False
        return True

    def stop(self) -> None:
        """Kills what still runs."""
        for program in list(self._programs):
            program.kill()

    def _fetch(self, slot_name: str, program: str) -> None:
        ad = self._slot_ad(slot_name)
        done = self._run(
            program, [], sorted_lines(ad.text_items()) if ad is not None else "", lambda e: self._fetched(slot_name, e)
        )
        if not done:
            self._handle(on.WorkFetched(slot_name, None))

    def _fetched(self, slot_name: str, ended: Ended) -> None:
        self._handle(on.WorkFetched(slot_name, self._job(ended.out)))

    def _job(self, out: bytes) -> ClassAd | None:
        """The job that a hook printed; None for nothing, or when a line is no attribute."""
        lines = [line for line in out.decode("utf-8", "surrogateescape").split("\n") if line.strip()]
        pairs: list[tuple[str, str]] = []
        for line in lines:
            found = split_line(line)
            if found is None or not is_valid(found[1]):
                self._log(f'Failed to insert "{line}" into ClassAd, ignoring invalid hook output')
                return None
            pairs.append(found)
        return ClassAd.from_text_items(pairs) if pairs else None

    def _run(self, program: str, arguments: list[str], stdin: str, then: Callable[[Ended], None] | None = None) -> bool:
        """Starts a hook; False when it cannot be executed."""

        def over(ended: Ended) -> None:
            self._programs.discard(running)
            if ended.err:
                text = ended.err.decode(errors="replace").rstrip()
                self._log(f"Warning, hook {program} (pid {running.pid}) printed to stderr: {text}")
            if then is not None:
                then(ended)

        if not self._warned:
            self._warned = True
            self._home.warn("hooks that fetch work", self._log)
        problem = unusable(program)
        if problem:
            self._log(f"ERROR: the hook {program} {problem}: refusing to use it")
            return False
        try:
            running = Program(
                self._loop,
                [program, *arguments],
                on_end=over,
                environment=os.environ,
                directory=self._home.directory,
                user=self._home.user,
                stdin=stdin.encode("utf-8", "surrogateescape"),
            )
        except OSError as error:
            self._log(f"ERROR: cannot run the hook {program}: {error.strerror}")
            return False
        self._programs.add(running)
        return True


def _two_ads(job_ad: ClassAd, slot_ad: ClassAd, claim_id: str) -> str:
    claim = f'ClaimId = "{claim_id}"\n' if claim_id else ""
    return f"{sorted_lines(job_ad.text_items())}{_BETWEEN}{sorted_lines(slot_ad.text_items())}{claim}"
