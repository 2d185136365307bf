"""Hooks of the job router share their places: one owner's cannot keep those of others waiting."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

from condor_py.core.routes.hooks import Answer, HookCall, Kind
from condor_py.daemons.common.loop import Loop
from condor_py.daemons.routerhooks import RouterHookRunner
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.model.ids import JobId


def hook(path: Path, text: str) -> str:
    """A program of this name."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_hooks_that_hang_leave_room_for_those_of_other_owners(tmp_path: Path) -> None:
    hangs, ends = hook(tmp_path / "hangs", "exec sleep 1000"), hook(tmp_path / "ends", "exit 0")
    ad = ClassAd.from_text_items([("Owner", quote_string(pwd.getpwuid(os.geteuid()).pw_name))])
    loop = Loop()
    loop.watch_children()
    heard: list[HookCall] = []

    def ended(call: HookCall, answer: Answer | None) -> None:
        heard.append(call)
        if len(heard) == 3:
            runner.stop()
            loop.stop()

    runner = RouterHookRunner(loop, lambda text: None, lambda call: ("", ad), ended, 300)
    for number in range(40):
        runner.run(HookCall(Kind.CLEANUP, JobId(1, number), None, hangs, "Here"), "ann")
    for number in range(3):
        runner.run(HookCall(Kind.UPDATE, JobId(2, number), None, ends, "Here"), "bob")
    loop.after(300.0, loop.stop)
    loop.run()
    assert sorted(call.job for call in heard[:3]) == [(2, 0), (2, 1), (2, 2)]


def test_whose_hooks_wait_take_turns(tmp_path: Path) -> None:
    ends = hook(tmp_path / "ends", "exit 0")
    fed: list[JobId] = []

    def feed(call: HookCall) -> None:
        fed.append(call.job)

    loop = Loop()
    runner = RouterHookRunner(loop, lambda text: None, feed, lambda call, answer: None, 300)
    for cluster, owner in ((1, "ann"), (2, "bob")):
        for number in range(2):
            runner.run(HookCall(Kind.UPDATE, JobId(cluster, number), None, ends, "Here"), owner)
    loop.soon(loop.stop)
    loop.run()
    assert fed == [(1, 0), (2, 0), (1, 1), (2, 1)]
