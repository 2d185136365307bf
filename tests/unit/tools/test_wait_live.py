"""condor_wait on a log that grows while it waits."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from condor_py.client.watch import FileWatch

_MAIN = Path(__file__).resolve().parents[3] / "condor_py" / "__main__.py"
_SUBMIT = "000 (007.{proc:03d}.000) 2026-11-20 22:08:11 Job submitted from host: <127.0.0.1:9618>\n...\n"
_END = "005 (007.{proc:03d}.000) 2026-11-20 22:09:12 Job terminated.\n\t(1) Normal termination (return value 0)\n...\n"


def _append(log: Path, text: str) -> None:
    with log.open("a") as file:
        file.write(text)


def _wait(log: Path, *argv: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-I", str(_MAIN), "condor_wait", "-status", *argv, str(log)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_it_ends_at_once_with_the_last_job(tmp_path: Path) -> None:
    tries = (tmp_path / f"run{number}.log" for number in range(5))
    assert any(_seconds_to_end(log) < 1.5 for log in tries), "it would look after two seconds anyway"


def _seconds_to_end(log: Path) -> float:
    """How long it takes to end when the last of its two jobs has ended."""
    _append(log, _SUBMIT.format(proc=0) + _SUBMIT.format(proc=1))
    with _wait(log) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "7.0.0 submitted\n"
        assert process.stdout.readline() == "7.1.0 submitted\n"
        _append(log, _END.format(proc=1))
        assert process.stdout.readline() == "7.1.0 completed\n"
        half = _END.format(proc=0)
        _append(log, half[:40])  # an event that is not complete yet is waited for
        _append(log, half[40:])
        ended = time.monotonic()
        assert process.communicate(timeout=60)[0] == "7.0.0 completed\nAll jobs done.\n"
        seconds = time.monotonic() - ended
        assert process.returncode == 0
    return seconds


def test_it_uses_no_cpu_while_it_waits(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    _append(log, _SUBMIT.format(proc=0))
    before = os.times()
    with _wait(log, "-wait", "2") as process:
        assert process.communicate(timeout=60)[0] == "7.0.0 submitted\nTime expired.\n"
        assert process.returncode == 1
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    assert used < 1.0  # a loop without waiting uses two seconds


def test_a_change_between_two_waits_is_not_lost(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("")
    watch = FileWatch(str(log))
    _append(log, "x")
    watch.wait(60)
    begin = time.monotonic()
    watch.wait(0.2)  # nothing more happened
    assert time.monotonic() - begin >= 0.2
    log.unlink()
    watch.wait(60)
    log.write_text("new file, same name")
    watch.wait(60)
    watch.close()


def test_with_num_it_waits_for_a_job_that_is_not_there_yet(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.touch()
    waiting = _wait(log, "-num", "1", "-wait", "30")
    _append(log, _SUBMIT.format(proc=0))
    _append(log, _END.format(proc=0))
    out, _ = waiting.communicate(timeout=30)
    assert out.splitlines() == ["7.0.0 submitted", "7.0.0 completed", "Specifed number of jobs (1) done."]
    assert waiting.returncode == 0


_HOLD = "012 (007.{proc:03d}.000) 2026-11-20 22:09:12 Job was held.\n\tthe disk is full\n\tCode 1 Subcode 0\n...\n"
_FREE = "013 (007.{proc:03d}.000) 2026-11-20 22:09:12 Job was released.\n\tvia condor_release\n...\n"
_TOLD = "condor_wait: job 7.0 is held: the disk is full; condor_release 7.0 lets it continue\n"


def test_a_job_that_is_held_meanwhile_ends_the_silence(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    _append(log, _SUBMIT.format(proc=0))
    with _wait(log) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "7.0.0 submitted\n"
        for _ in range(2):  # again for a second hold
            _append(log, _HOLD.format(proc=0))
            assert process.stderr.readline() == _TOLD
            _append(log, _FREE.format(proc=0))
        _append(log, _END.format(proc=0))
        assert process.communicate(timeout=60) == ("7.0.0 completed\nAll jobs done.\n", "")
        assert process.returncode == 0


def test_a_program_is_not_told_of_what_was_held_before(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    _append(log, _SUBMIT.format(proc=0) + _HOLD.format(proc=0))
    with _wait(log, "-wait", "1") as process:
        assert process.communicate(timeout=60) == ("7.0.0 submitted\nTime expired.\n", "")


def test_a_held_job_can_end_the_wait(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    _append(log, _SUBMIT.format(proc=0) + _HOLD.format(proc=0))
    with _wait(log, "-on-hold", "fail") as process:
        assert process.communicate(timeout=60) == ("7.0.0 submitted\n", _TOLD)
        assert process.returncode == 2
    _append(log, _FREE.format(proc=0) + _END.format(proc=0))
    with _wait(log, "-on-hold", "fail") as process:
        assert process.communicate(timeout=60)[1] == ""
        assert process.returncode == 0


def test_how_the_jobs_ended_is_the_exit_status_for_who_wants_it(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    ends = ["termination (return value 3)", "termination (signal 9)", "termination (return value 1)"]
    for proc, end in enumerate(ends):
        text = _END.format(proc=proc).replace("termination (return value 0)", end)
        _append(log, _SUBMIT.format(proc=proc) + text)
    for job, code in (("7.0", 3), ("7.1", 137), ("7", 137)):
        done = subprocess.run(
            [sys.executable, "-I", str(_MAIN), "condor_wait", "-exit-status", str(log), job],
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (code, b"All jobs done.\n", b"")
    with _wait(log) as process:
        process.communicate(timeout=60)
        assert process.returncode == 0
    _append(log, _SUBMIT.format(proc=3) + "009 (007.003.000) 2026-11-20 22:09:12 Job was aborted.\n\tno\n...\n")
    with _wait(log, "-exit-status") as process:
        process.communicate(timeout=60)
        assert process.returncode == 137
