"""condor_with_pool: a command in a pool of its own, which ends with it (for continuous integration and for trials)."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from types import FrameType
from typing import TYPE_CHECKING

from condor_py.cli.options import EXACT, Opt, ToolSpec, UsageError, parse
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.bindings.personal import PersonalPool

_SPEC = ToolSpec(
    name="condor_with_pool",
    usage="[-config FILE] [-keep] COMMAND [ARGUMENT...]",
    summary="Run a command in a pool of its own.",
    description=(
        "A pool starts in a temporary directory, the command runs in it (CONDOR_CONFIG names its configuration, and "
        "these commands come first on PATH), and the pool ends with all its jobs when the command does. If the command "
        "fails, each job that is left is shown with the reason why it waits. Any number of such pools may run at the "
        "same time; each offers the whole machine unless the configuration says otherwise."
    ),
    positional="COMMAND [ARGUMENT...]",
    positional_help="the command, with its own options",
    options=(
        Opt("config", EXACT, "FILE", "configuration to add, such as a policy that is to be tried", takes="file"),
        Opt("keep", EXACT, help="keep the directory of the pool, with its logs, if the command fails"),
        Opt("help", 1, help="this text"),
        Opt("version", EXACT, help="the version and the platform"),
    ),
    examples=(
        ("condor_with_pool condor_submit -wait tests.sub", "run the jobs of a submit file, with their exit status"),
        ("condor_with_pool -config policy.config sh trial.sh", "try a policy"),
    ),
    exit_status=(
        "that of the command, 128 and the signal's number when one killed it, 127 when it cannot be run, 1 when the "
        "pool does not start."
    ),
    see_also=("condor_submit", "condor_master", "condor_setup"),
)  # fmt: skip
SPECS = (_SPEC,)

_NO_COMMAND = 127
_ENDING = (signal.SIGINT, signal.SIGTERM)
#: Of the environment: places of another pool.
_PLACES = ("LOCAL_DIR", "SPOOL", "LOG", "EXECUTE", "RUN", "LOCK", "LOCAL_CONFIG_FILE", "LOCAL_CONFIG_DIR")
#: So many jobs that are left are shown, and so many lines of a log.
_MOST_JOBS, _MOST_LINES = 20, 10


def main(argv: list[str]) -> int:
    """Run condor_with_pool."""
    from condor_py.cli.common import handle_help_and_version

    own = _own_words(argv)
    args = parse(_SPEC, argv[:own])
    if handle_help_and_version(args):
        return 0
    command = argv[own:]
    if not command:
        raise UsageError("condor_with_pool: no command is given", _SPEC)
    config = os.path.abspath(args.text("config", "")) if args.has("config") else ""
    if config and not os.access(config, os.R_OK):
        raise CondorError(f"condor_with_pool: cannot read {config}")
    directory = tempfile.mkdtemp(prefix="condor_with_pool.")
    kept = False
    handlers = {number: signal.getsignal(number) for number in _ENDING}
    signal.signal(signal.SIGTERM, _end)
    try:
        status = _run(directory, config, command)
        kept = bool(status) and args.has("keep")
        return status
    finally:
        if kept:
            sys.stderr.write(f"condor_with_pool: the pool's files are in {directory}\n")
        else:
            shutil.rmtree(directory, ignore_errors=True)
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _own_words(argv: list[str]) -> int:
    """Return how many of the words are options of this tool; the command begins behind them."""
    at = 0
    while at < len(argv) and argv[at].startswith("-"):
        at += 2 if argv[at] in ("-config", "--config") else 1
    return min(at, len(argv))


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _run(directory: str, config: str, command: list[str]) -> int:
    """Run the command in a pool in ``directory``; return its status. CondorError where the pool does not start."""
    from condor_py.bindings.personal import PersonalPool
    from condor_py.cli.inner import quietly
    from condor_py.lang.config.installed import tools_directory

    os.chmod(directory, 0o755)  # a job of root's runs with fewer rights
    os.environ["PATH"] = os.pathsep.join(filter(None, (tools_directory(), os.environ.get("PATH"))))
    for name in list(os.environ):
        if name.upper().removeprefix("_CONDOR_") in _PLACES and name.upper().startswith("_CONDOR_"):
            del os.environ[name]
    pool = PersonalPool(directory, raw_config=f"include : {config}" if config else "")
    checked = quietly("condor_config_val", "-lint")
    if checked.code:
        raise CondorError(f"{checked.out}condor_with_pool: the pool does not start with this configuration")
    try:
        try:
            pool.start()
        except Exception as error:
            _show_log(pool)
            raise CondorError(f"condor_with_pool: the pool does not start: {error}") from None
        status = _status_of(command)
        if status:
            _show_what_is_left(command, status)
        return status
    finally:
        for number in _ENDING:  # a second signal would leave the pool running
            signal.signal(number, signal.SIG_IGN)
        pool.stop()


def _status_of(command: list[str]) -> int:
    """Run the command to its end. It is killed if this process is to end before."""
    early: list[int] = []  # signals before the command can be ended
    signal.signal(signal.SIGTERM, lambda number, frame: early.append(number))
    try:
        running = subprocess.Popen(command)
    except OSError as error:
        signal.signal(signal.SIGTERM, _end)
        sys.stderr.write(f"condor_with_pool: cannot run {command[0]}: {error.strerror}\n")
        return _NO_COMMAND
    try:
        signal.signal(signal.SIGTERM, _end)
        if early:
            _end(early[0], None)
        status = running.wait()
    except BaseException:
        running.terminate()
        running.wait()
        raise
    return status if status >= 0 else 128 - status


def _show_what_is_left(command: list[str], status: int) -> None:
    """Write why each job waits that the command has left in the queue."""
    from condor_py.cli.waiting import around_pool, why_it_waits
    from condor_py.client.pool import open_pool
    from condor_py.model.states import JobStatus

    sys.stderr.write(f"condor_with_pool: {command[0]} ended with status {status}\n")
    pool = open_pool()
    view = pool.read_queue()
    around = around_pool(pool, view)
    # A completed job is about to leave the queue.
    jobs = [(job, ad) for job, ad in view.jobs() if ad.eval_int("JobStatus", 0) != JobStatus.COMPLETED]
    for job, ad in jobs[:_MOST_JOBS]:
        reasons = why_it_waits(ad, around)
        state = JobStatus(ad.eval_int("JobStatus", 0)).name.lower()
        why = f": {reasons[0].text}" if reasons else f": it is {state}"
        sys.stderr.write(f"condor_with_pool: job {job}{why}\n")
    if len(jobs) > _MOST_JOBS:
        sys.stderr.write(f"condor_with_pool: and {len(jobs) - _MOST_JOBS:,} jobs more are left\n")


def _show_log(pool: PersonalPool) -> None:
    """Write the end of the master's log."""
    try:
        with open(pool.log_dir / "MasterLog", encoding="utf-8", errors="replace") as file:
            sys.stderr.writelines(file.readlines()[-_MOST_LINES:])
    except OSError:
        return
