"""condor_dagman: runs a DAG as a job of the scheduler universe; condor_submit_dag makes that job."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from condor_py.lang.dag.options import DagmanOptions, OptionError

if TYPE_CHECKING:
    from condor_py.daemons.dagman.start import Start
    from condor_py.daemons.dagman.waiting import Waiter

#: Options that every daemon has, and how many words follow them.
_OF_DAEMONS = {"-p": 1, "-f": 0, "-l": 1, "-t": 0, "-b": 0}

#: Exit code of HTCondor's daemons without a log.
_NO_LOG = 44


def put(stream: int, text: str) -> None:
    """Write to standard output (1) or standard error (2), which are ``.lib.out`` and ``.lib.err``. What finds no room
    there is lost: no DAG ends for it."""
    with contextlib.suppress(OSError):
        os.write(stream, text.encode("utf-8", "surrogateescape"))


def dagman(argv: list[str], submit_dag: Callable[[list[str]], int]) -> int:
    """Run a DAG; return the exit code. ``submit_dag`` is condor_submit_dag, for the submit files of sub-DAGs."""
    from condor_py.core.dag.states import EXIT_ERROR, EXIT_RESTART
    from condor_py.daemons.dagman.fulldisk import Patience, may_pass
    from condor_py.daemons.dagman.limits import with_options
    from condor_py.daemons.dagman.opening import tell_settings
    from condor_py.daemons.dagman.quitting import Quit
    from condor_py.daemons.dagman.start import Start, configured, open_log
    from condor_py.daemons.dagman.waiting import Waiter
    from condor_py.lang.config.builders.daemon import log as daemon_log
    from condor_py.model.errors import CondorError
    from condor_py.model.version import CONDOR_VERSION

    waiter = Waiter()
    put(1, "Executing condor dagman ... \n")
    log = open_log(3)
    if refusal := log.refusal():  # the job stays in the queue, and is started again later
        put(2, f"Can't open the log of condor_dagman: {refusal}\n")
        return _NO_LOG
    try:
        pool, settings, limits = configured()
        log.configure(daemon_log(pool.config, "DAGMAN"))
        options = DagmanOptions(settings.auto_rescue, settings.insert_sub_file)
        log.banner(CONDOR_VERSION, "$CondorPlatform: condor_py $")
        _understand(argv, options)
        given = options.numbers["DebugLevel"]
        log.set_level(given if given >= 0 else settings.verbosity)
        settings = with_options(settings, options, limits, log.loud)
        start = Start(pool, settings, limits, options, log, Patience(log, waiter), submit_dag)
        tell_settings(start)
        for number, word in enumerate(["condor_dagman", *argv]):
            log.say(f'argv[{number}] == "{word}"')
        code = _run(start, waiter)
    except Quit as quitting:
        code = quitting.code
    except OptionError as error:
        log.loud(str(error))
        put(2, f"{error}\n")
        if error.culprit and sys.stderr.isatty():
            put(2, f"condor_dagman: not understood: {error.culprit}\n")
        code = EXIT_ERROR
    except (CondorError, OSError) as error:
        log.loud(f"ERROR: {error}")
        code = EXIT_RESTART if may_pass(error) else EXIT_ERROR  # started again, it continues
    finally:
        log.flush()
    log.farewell(code)
    return code


def _understand(argv: list[str], options: DagmanOptions) -> None:
    """The command line into the options. Raises OptionError."""
    at = 0
    while at < len(argv):
        word = argv[at]
        at += 1
        if not word.startswith("-"):
            options.dag_files.append(word)
        elif word in _OF_DAEMONS:
            at += _OF_DAEMONS[word]
        else:
            at += options.take(word.lower(), argv[at:])
    if not options.primary:
        raise OptionError("No DAG file was specified")


def _run(start: Start, waiter: Waiter) -> int:
    from condor_py.client.dagman_requests import RequestListener
    from condor_py.daemons.dagman import opening
    from condor_py.daemons.dagman.limits import recovered
    from condor_py.daemons.dagman.managerjob import ENDS_JOB, EXIT_CODE, ManagerJob
    from condor_py.daemons.dagman.program import Program
    from condor_py.daemons.dagman.scriptjobs import ScriptLog
    from condor_py.daemons.dagman.start import Lock, lock_path, nodes_log_path, read_dag

    options, log = start.options, start.log
    job = ManagerJob(start.pool, log, os.environ.get("CONDOR_ID", ""))
    listener = None if start.settings.disable_port else RequestListener()
    job.introduce(options, listener.address if listener is not None else "")
    ended = job.number(EXIT_CODE)
    if ended in ENDS_JOB:
        log.loud(f"This DAG has already ended, with {ended}; its job was held meanwhile")
        for left in (lock_path(start), ScriptLog(start.primary, start.patience).path):
            with contextlib.suppress(OSError):
                os.unlink(left)
        return ended
    opening.check_submit_version(start)
    opening.tell_workflow(start)
    nodes_log = nodes_log_path(start, job.cluster, job.text("Owner"), job.text("DAGNodeName"))
    start.settings = start.settings.changed(throttles=recovered(start.settings.throttles, job, start.caps))
    opening.tell_limits(start, job)
    opening.tell_files(start, lock_path(start))
    dag = read_dag(start)
    if options.on("OnlyDumpDot"):
        return opening.draw_only(start, job, dag)
    if options.on("DryRun"):
        return opening.rehearse(start, dag)
    lock = Lock(start, job.cluster)
    if lock.was_there:
        log.say(f"Lock file {lock.path} detected")
    elif options.on("DoRecovery"):
        log.say("Running in recovery mode because -DoRecovery flag was specified")
    program = Program(start, dag, job, lock, waiter, nodes_log, listener)
    return program.go(recovery=lock.was_there or options.on("DoRecovery"))
