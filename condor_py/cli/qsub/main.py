"""condor_qsub's work: submit, and let jobs wait for others (manual, condor_qsub)."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time

from condor_py.cli.inner import quietly
from condor_py.cli.qsub.description import description, job_name
from condor_py.cli.qsub.request import SPEC, Request, request_of
from condor_py.client.pool import Pool, open_pool
from condor_py.model.errors import CondorError
from condor_py.model.states import JobStatus

SPECS = (SPEC,)
#: A job that exits so keeps those that wait for it from running (SGE).
_REFUSAL = 100
#: Seconds between two checks of the jobs waited for.
_PAUSE = 1.0


class _Refused(CondorError):
    """A job that this one should wait for exited with 100."""

    exit_code = _REFUSAL


def main(argv: list[str]) -> int:
    """Run condor_qsub."""
    request = request_of(argv)
    if request.has("help"):
        from condor_py.cli.command import help_text

        sys.stdout.write(help_text(SPEC))
        return 0
    if request.has("version"):
        from condor_py.cli.version import version_lines

        sys.stdout.write(version_lines())
        return 0
    if request.has("sentinel"):
        return _guard(request.text("sentinel"), request.command)
    if not request.command:
        request.command = [_script_of_stdin(request)]
        request.values.setdefault("N", "STDIN")
    before = _unfinished(request.text("hold_jid"))
    text = description(request, " ".join(argv), waits=bool(before))
    path = _write(text)
    try:
        return _go(request, text, path, before)
    finally:
        if not request.has("condor-keep-files"):
            os.unlink(path)


def _go(request: Request, text: str, path: str, before: list[str]) -> int:
    cluster = "0"
    if request.has("print"):
        sys.stdout.write(text)
    if request.has("I") and not request.has("test"):
        from condor_py.cli import entry

        return entry.main("condor_submit", ["-interactive", path])
    if not request.has("test"):
        cluster = _submit(path)
        if before:
            _post_guard(cluster, before)
    elif not request.has("print"):
        sys.stdout.write(path + "\n")
    if not request.has("z"):
        sys.stdout.write(f'Your job {cluster} ("{job_name(request)}") has been submitted\n')
    return 0


def _write(text: str) -> str:
    handle, path = tempfile.mkstemp(prefix="condor_qsub.")
    with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    return path


def _script_of_stdin(request: Request) -> str:
    """The script on standard input, in a file that stays because the job needs it."""
    text = sys.stdin.read()
    handle, path = tempfile.mkstemp(prefix=f"{request.text('N') or 'STDIN'}_qsub.", dir=os.getcwd())
    with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    os.chmod(path, 0o700)
    words = [word for line in text.splitlines() if line.startswith("#$ ") for word in line[3:].split()]
    request.take(words)
    return path


def _submit(path: str) -> str:
    """The number of the new cluster. Raises CondorError."""
    ran = quietly("condor_submit", path)
    numbers = re.findall(r"submitted to cluster (\d+)\.", ran.out)
    if ran.code or not numbers:
        raise CondorError(f"{ran.err}Job submission failed.")
    return str(numbers[0])


# ---- jobs that wait for others ----------------------------------------------------------------------------------


def _unfinished(text: str) -> list[str]:
    """Those jobs of -hold_jid that are still in the queue. Raises CondorError for one that cannot be waited for."""
    words = [word for word in text.split(",") if word]
    if not words:
        return []
    pool = open_pool()
    return [word for word in words if _is_queued(pool, word) or not _ended_well(word)]


def _is_queued(pool: Pool, word: str) -> bool:
    """Whether a cluster or job of the user is in the queue."""
    cluster, _, proc = word.partition(".")
    for number, procs in pool.read_queue().groups():
        if str(number) == cluster and (not proc or int(proc) in procs):
            ad = pool.read_queue().table.cluster(number)
            return ad is not None and ad.eval_str("Owner", "") == pool.owner
    return False


def _ended_well(word: str) -> bool:
    """True for a job that has completed. Raises CondorError when it was removed, refuses, or never was."""
    ran = quietly("condor_history", word, "-af", "JobStatus", "ExitCode")
    rows = [line.split() for line in ran.out.splitlines()]
    if not rows:
        raise CondorError(f"Error: Job dependency {word} doesn't exist")
    if any(row[0] == str(JobStatus.REMOVED) for row in rows):
        raise CondorError(f"Error: Job dependency {word} has been removed from the queue")
    if any(row[1] == str(_REFUSAL) for row in rows):
        raise _Refused(f"Error: Job dependency {word} completed but exited with code 100.")
    return True


def _post_guard(cluster: str, before: list[str]) -> None:
    """A job of the local universe that releases ``cluster`` when the others have ended."""
    import condor_py

    program = os.path.join(os.path.dirname(os.path.abspath(condor_py.__file__)), "__main__.py")
    words = ["-I", program, "condor_qsub", "-sentinel", cluster, *before]
    kept = {name: value for name, value in os.environ.items() if name.upper().startswith(("CONDOR_", "_CONDOR_"))}
    kept["PATH"] = os.environ.get("PATH", "/usr/bin:/bin")
    entries = " ".join(f"{name}='{_quoted(value)}'" for name, value in kept.items())
    arguments = " ".join(f"'{_quoted(word)}'" for word in words)
    text = (
        f"universe = local\nexecutable = {sys.executable}\ntransfer_executable = False\n"
        f'arguments = "{arguments}"\nenvironment = "{entries}"\n+JobDescription = "releases job {cluster}"\nqueue\n'
    )
    path = _write(text)
    try:
        ran = quietly("condor_submit", path)
    finally:
        os.unlink(path)
    if ran.code:
        raise CondorError(f"{ran.err}condor_qsub: job {cluster} stays on hold: nothing waits for {' '.join(before)}")


def _quoted(text: str) -> str:
    return text.replace("'", "''").replace('"', '""')


def _guard(cluster: str, before: list[str]) -> int:
    """Waits for the jobs, then releases the cluster, or removes it when one of them did not end well."""
    pool = open_pool()
    for word in before:
        while _is_queued(pool, word):
            time.sleep(_PAUSE)
    try:
        for word in before:
            _wait_for_history(word)
    except CondorError as error:
        sys.stderr.write(f"{error}\n")
        quietly("condor_rm", "-reason", str(error), cluster)
        return 1
    return quietly("condor_release", cluster).code


def _wait_for_history(word: str) -> None:
    """As ``_ended_well``, for a job that left the queue a moment ago."""
    for attempt in range(10):
        try:
            _ended_well(word)
            return
        except CondorError as error:
            if "doesn't exist" not in str(error) or attempt == 9:
                raise
            time.sleep(0.2)
