"""Run the tool of a program name, and turn every error into one clear line and an exit code."""

from __future__ import annotations

import errno
import os
import sys

from condor_py.model.errors import CondorError, shortage
from condor_py.model.later import loaded as module_loaded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from condor_py.cli.options import UsageError

#: Program name -> "module:function"; modules are inside condor_py.cli.
PROGRAMS: dict[str, str] = {
    "classad_eval": "classad_eval:main",
    "condor_adstash": "adstash:main",
    "condor_advertise": "advertise:main",
    "condor_check_userlogs": "check_userlogs:main",
    "condor_chirp": "chirp:main",
    "condor_collector": "daemon_program:collector",
    "condor_complete": "complete.main:main",
    "condor_config_val": "config_val.main:main",
    "condor_continue": "act:resume",
    "condor_credd": "daemon_program:credd",
    "condor_dag_checker": "dag_checker:main",
    "condor_dagman": "dagman:main",
    "condor_defrag": "daemon_program:defrag",
    "condor_docker_enter": "enter:docker_enter",
    "condor_drain": "drain:main",
    "condor_evicted_files": "evicted_files:main",
    "condor_fetchlog": "fetchlog:main",
    "condor_gather_info": "gather_info:main",
    "condor_findhost": "findhost:main",
    "condor_gangliad": "daemon_program:gangliad",
    "condor_gpu_discovery": "gpu_discovery:main",
    "condor_gpu_utilization": "gpu_utilization:main",
    "condor_history": "history:main",
    "condor_hold": "act:hold",
    "condor_job_router": "daemon_program:job_router",
    "condor_job_router_info": "router.info:main",
    "condor_kflops": "benchmark:kflops",
    "condor_master": "control:master",
    "condor_manifest": "manifest:main",
    "condor_mcp": "mcp:main",
    "condor_metrics": "metrics:main",
    "condor_mips": "benchmark:mips",
    "condor_negotiator": "daemon_program:negotiator",
    "condor_now": "now:main",
    "condor_nsenter": "enter:nsenter",
    "condor_off": "control:off",
    "condor_on": "control:on",
    "condor_ping": "ping:main",
    "condor_pool_job_report": "pool_job_report:main",
    "condor_power": "power:main",
    "condor_power_state": "power_state:main",
    "condor_preen": "preen:main",
    "condor_prio": "prio:main",
    "condor_q": "q.main:main",
    "condor_qedit": "qedit:main",
    "condor_qsub": "qsub.main:main",
    "condor_qusers": "qusers:main",
    "condor_reconfig": "control:reconfig",
    "condor_release": "act:release",
    "condor_report": "report:main",
    "condor_reschedule": "control:reschedule",
    "condor_restart": "control:restart",
    "condor_rm": "act:remove",
    "condor_router_history": "router.history:main",
    "condor_router_q": "router.wrappers:router_q",
    "condor_router_rm": "router.wrappers:router_rm",
    "condor_rooster": "daemon_program:rooster",
    "condor_run": "run:main",
    "condor_schedd": "daemon_program:schedd",
    "condor_set_shutdown": "control:set_shutdown",
    "condor_setup": "setup:main",
    "condor_shadow": "daemon_program:shadow",
    "condor_sos": "sos:main",
    "condor_ssh_to_job": "ssh_to_job:main",
    "condor_gridmanager": "gridmanager:main",
    "condor_startd": "daemon_program:startd",
    "condor_starter": "starter:main",
    "condor_stats": "stats:stats",
    "condor_status": "status:main",
    "condor_store_check": "store_check:main",
    "condor_store_cred": "store_cred:main",
    "condor_submit": "submit:main",
    "condor_submit_dag": "submit_dag:main",
    "condor_suspend": "act:suspend",
    "condor_tail": "tail:main",
    "condor_token_create": "tokens:create",
    "condor_token_fetch": "tokens:fetch",
    "condor_token_list": "tokens:list_tokens",
    "condor_token_request": "tokenrequests:request",
    "condor_token_request_approve": "tokenrequests:approve",
    "condor_token_request_auto_approve": "tokenrequests:auto_approve",
    "condor_token_request_list": "tokenrequests:list_requests",
    "condor_test_match": "match_test:main",
    "condor_testwritelog": "testwritelog:main",
    "condor_top": "top:main",
    "condor_transfer_data": "transfer_data:main",
    "condor_transform_ads": "transform_ads:main",
    "condor_upgrade_check": "upgrade_check:main",
    "condor_update_machine_ad": "update_machine_ad:main",
    "condor_updates_stats": "updates_stats:main",
    "condor_urlfetch": "urlfetch:main",
    "condor_userlog": "allocations:main",
    "condor_userlog_job_counter": "job_counter:main",
    "condor_userprio": "userprio:main",
    "condor_vacate": "control:vacate",
    "condor_vacate_job": "act:vacate_job",
    "condor_version": "version:main",
    "condor_wait": "wait:main",
    "condor_web": "web.main:main",
    "condor_watch_q": "watch_q.main:main",
    "condor_who": "who:main",
    "condor_with_pool": "with_pool:main",
    "htcondor": "nouns:main",
}

#: Exit code of a tool whose reader went away, as a shell reports SIGPIPE.
_BROKEN_PIPE = 141
_INTERRUPTED = 130
_WRITE_ERRORS = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF))
#: Modules that write to the standard streams.
_PRINTING = ("condor_py.cli.", "condor_py.client.dag.")
#: The variable of the environment that lets a bug show where it is.
TRACEBACK = "CONDOR_PY_TRACEBACK"


class _OutputLost(Exception):
    """The tool's output cannot be written."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


def main(program: str, argv: list[str]) -> int:
    """Run ``program`` with ``argv`` (without its name) and return its exit code. Never raises."""
    _open_closed_streams()
    _raw_bytes_pass_through()
    if sys.stdout.isatty() or sys.stderr.isatty():
        from condor_py.client.screen import guard_screens

        guard_screens()
    try:
        code = _run(program, argv)
        _flush()
        return code
    except _OutputLost as lost:
        _drop(sys.stdout)
        if isinstance(lost.error, BrokenPipeError):
            _drop(sys.stderr)
            return _BROKEN_PIPE
        sys.stderr.write(f"{program}: cannot write to standard output: {lost.error.strerror}\n")
        return 1


def _run(program: str, argv: list[str]) -> int:
    try:
        try:
            return _without_remains(program, argv)
        except CondorError as error:
            return _report(error)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except ModuleNotFoundError as error:
        return _module_missing(program, error)
    except Exception as error:
        if isinstance(error, OSError) and _is_of_output(error):
            raise _OutputLost(error) from None
        lacking = shortage(error)
        if lacking:
            _error_line(f"{program}: {lacking}")
            return 1
        if os.environ.get(TRACEBACK):
            raise
        kind = type(error).__name__
        _error_line(f"{program}: internal error: {kind}: {error} (set {TRACEBACK}=1 to see where)")
        return 1


def _without_remains(program: str, argv: list[str]) -> int:
    """Run the program. What interrupts it leaves no line about its progress on the terminal."""
    try:
        return _function(program)(argv)
    finally:
        progress = sys.modules.get("condor_py.client.progress")
        if progress is not None:
            progress.erase()


def _function(program: str) -> Callable[[list[str]], int]:
    target = PROGRAMS.get(program)
    if target is None:
        raise CondorError(f"condor_py: no such program: {program}")
    module, _, name = target.partition(":")
    found = module_loaded(f"condor_py.cli.{module}")
    function: Callable[[list[str]], int] = getattr(found, name)
    return function


def _report(error: CondorError) -> int:
    from condor_py.cli.options import UsageError

    text = str(error)
    if text:
        _error_line(text)
    if isinstance(error, UsageError) and error.argument:
        from condor_py.cli.suggest import name_culprit

        name_culprit(error.spec.name, error.argument, text)
        if error.kind == "unknown":
            _suggest_option(error)
    if isinstance(error, UsageError) and error.kind in error.spec.usage_after:
        from condor_py.cli.command import help_after_error, help_text

        stream = sys.stdout if error.spec.usage_stream == "stdout" else sys.stderr
        stream.write(help_after_error(error.spec, stream) if text or error.argument else help_text(error.spec))
    return error.exit_code


def _suggest_option(error: UsageError) -> None:
    from condor_py.cli.suggest import nearest_option

    like = nearest_option(error.argument, [option.name for option in error.spec.options if not option.hidden])
    if like:
        _error_line(f"Did you mean {like}?")


def _module_missing(program: str, error: ModuleNotFoundError) -> int:
    """The interpreter lacks a package that condor_py needs; a module of our own is a bug like any other."""
    from condor_py.model.packages import lacking

    text = lacking(error)
    if not text:
        raise error
    _error_line(f"{program}: {text}")
    return 1


def _flush() -> None:
    try:
        sys.stdout.flush()
    except OSError as error:
        raise _OutputLost(error) from None


def _is_of_output(error: OSError) -> bool:
    """Whether printing failed: tools write to nothing but the standard streams, and those errors name no file."""
    if isinstance(error, BrokenPipeError):
        return True
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = "" if trace is None else str(trace.tb_frame.f_globals.get("__name__", ""))
    return error.filename is None and error.errno in _WRITE_ERRORS and place.startswith(_PRINTING)


def _drop(stream: TextIO) -> None:
    """Discard what a stream still buffers, so that the interpreter does not fail on it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _open_closed_streams() -> None:
    """A standard stream the caller closed reads nothing or swallows everything; its number is never a file of ours."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 - for the whole run
            setattr(sys, name, stream)


def _error_line(text: str) -> None:
    _flush()
    try:
        sys.stderr.write(text + "\n")
    except BrokenPipeError as error:
        raise _OutputLost(error) from None


def _raw_bytes_pass_through() -> None:
    """Text that is not UTF-8, or is cut inside a character, leaves as the bytes it came as."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="surrogateescape")
