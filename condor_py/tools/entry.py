"""From a program name to its tool, and from whatever goes wrong to one clear line and an exit code."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable

from condor_py.model.errors import CondorError

#: Program name -> "module:function"; modules are inside condor_py.tools.
PROGRAMS: dict[str, str] = {
    "condor_config_val": "config_val:main",
    "condor_continue": "act:resume",
    "condor_drain": "drain:main",
    "condor_history": "history:main",
    "condor_hold": "act:hold",
    "condor_master": "control:master",
    "condor_off": "control:off",
    "condor_on": "control:on",
    "condor_prio": "prio:main",
    "condor_q": "q.main:main",
    "condor_qedit": "qedit:main",
    "condor_reconfig": "control:reconfig",
    "condor_release": "act:release",
    "condor_reschedule": "control:reschedule",
    "condor_restart": "control:restart",
    "condor_rm": "act:remove",
    "condor_status": "status:main",
    "condor_submit": "submit:main",
    "condor_suspend": "act:suspend",
    "condor_userprio": "userprio:main",
    "condor_vacate": "control:vacate",
    "condor_vacate_job": "act:vacate_job",
    "condor_version": "version:main",
    "condor_wait": "wait:main",
}

#: Exit code of a tool whose reader went away, as a shell reports SIGPIPE.
_BROKEN_PIPE = 141
_INTERRUPTED = 130
_TRACEBACK = "CONDOR_PY_TRACEBACK"


def main(program: str, argv: list[str]) -> int:
    """Run ``program`` with ``argv`` (without its name) and return its exit code. Never raises."""
    _raw_bytes_pass_through()
    try:
        code = _run(program, argv)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE


def _run(program: str, argv: list[str]) -> int:
    try:
        return _function(program)(argv)
    except CondorError as error:
        return _report(error)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        raise
    except Exception as error:
        if os.environ.get(_TRACEBACK):
            raise
        kind = type(error).__name__
        _error_line(f"{program}: internal error: {kind}: {error} (set {_TRACEBACK}=1 to see where)")
        return 1


def _function(program: str) -> Callable[[list[str]], int]:
    target = PROGRAMS.get(program)
    if target is None:
        raise CondorError(f"condor_py: no such program: {program}")
    module, _, name = target.partition(":")
    loaded = importlib.import_module(f"condor_py.tools.{module}")
    function: Callable[[list[str]], int] = getattr(loaded, name)
    return function


def _report(error: CondorError) -> int:
    from condor_py.tools.options import UsageError

    text = str(error)
    if text:
        _error_line(text)
    if isinstance(error, UsageError) and error.kind in error.spec.usage_after:
        from condor_py.tools.command import help_text

        stream = sys.stdout if error.spec.usage_stream == "stdout" else sys.stderr
        stream.write(help_text(error.spec))
    return error.exit_code


def _error_line(text: str) -> None:
    sys.stdout.flush()
    sys.stderr.write(text + "\n")


def _raw_bytes_pass_through() -> None:
    """Text that is not UTF-8, or is cut inside a character, leaves as the bytes it came as."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="surrogateescape")
