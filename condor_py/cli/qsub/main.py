"""condor_qsub's work: submit, and let jobs wait for others (manual, condor_qsub)."""

from __future__ import annotations

import math
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator

from condor_py.cli.inner import quietly
from condor_py.cli.qsub.request import SPEC, Request, request_of
from condor_py.cli.suggest import hint
from condor_py.client.pool import Pool, open_pool
from condor_py.model.errors import CondorError
from condor_py.model.states import JobStatus
from condor_py.model.texts import as_integer

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
    name = request.text("N") or "STDIN"
    try:
        handle, path = tempfile.mkstemp(prefix=f"{name}_qsub.", dir=os.getcwd())
    except OSError as error:
        raise CondorError(f"Error: cannot write the script of {name[:40]} here: {error.strerror}") from None
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
    for word in words:
        if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", word):
            raise CondorError(f"Error: Job dependency {word[:40]} doesn't exist")
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


#: Seconds that a job of -a may be late: 100 years.
_WINDOW = 3153600000
_UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def job_name(request: Request) -> str:
    """-N, else the name of the script."""
    return request.text("N") or (os.path.basename(request.command[0]) if request.command else "STDIN")


def description(request: Request, call: str, waits: bool) -> str:
    """The text for condor_submit. ``waits``: the job is held until others have ended. Raises CondorError."""
    lines = [f"# condor_qsub call: {call}", "universe = vanilla", "should_transfer_files = IF_NEEDED"]
    lines += _program(request)
    lines += _places(request)
    output, error = _streams(request)
    lines += [f"error = {error}", f"output = {output}"]
    if request.has("i"):
        lines.append(f"input = {request.text('i').rpartition(':')[2]}")
    if request.has("V"):
        lines.append("getenv = True")
    lines += _mail(request)
    lines.append(f"priority = {_number(request, 'p', '0')}")
    if request.has("a"):
        start = start_time(request.text("a"), time.time())
        lines += [f"deferral_time = {start}", f"deferral_window = {_WINDOW}", "deferral_prep_time = 0"]
    if request.has("A"):
        lines.append(f"accounting_group = {request.text('A')}")
    if request.text("c")[:1].lower() == "n":
        lines.append("+WantCheckpoint = False")
    if request.has("h") or waits:
        lines.append("hold = True")
    requirements, demands = _resources(request)
    lines += demands
    if request.text("r")[:1].upper() == "N":
        requirements.append("( NumJobStarts == 0 )")
        lines.append("periodic_remove = ( JobStatus == 1 && NumJobStarts > 0 )")
    if requirements:
        lines.append(f"requirements = {' && '.join(requirements)}")
    lines += _staging(request)
    lines += _queue(request, output, error)
    return "\n".join(lines) + "\n"


def _program(request: Request) -> Iterator[str]:
    shell = request.text("S") or os.environ.get("SHELL") or "/bin/sh"
    yield f"executable = {shell}"
    if request.is_binary:
        text = " ".join(request.command).replace('"', '""').replace("'", "''")
        yield f"arguments = \"-c '{text}'\""
    else:
        yield f"arguments = {' '.join(request.command)}"


def _places(request: Request) -> Iterator[str]:
    if request.has("d"):
        yield f"initialdir = {request.text('d')}"
    elif request.has("cwd"):
        yield f"initialdir = {os.getcwd()}"


def _streams(request: Request) -> tuple[str, str]:
    """Return the paths of standard output and standard error."""
    output = _stream(request, "o")
    error = _stream(request, "e")
    joined = request.text("j")
    if "e" in joined and "o" in joined:
        both = error if request.has("e") and not request.has("o") else output
        return both, both
    return output, error


def _stream(request: Request, letter: str) -> str:
    name = f"{job_name(request)}.{letter}$(Cluster)"
    given = request.text(letter).rpartition(":")[2]
    if not given:
        return name
    return f"{given}/{name}" if os.path.isdir(given) else given


def _mail(request: Request) -> Iterator[str]:
    if request.has("M"):
        yield f"notify_user = {request.text('M')}"
    when = request.text("m", "n")
    yield f"notification = {'Never' if 'n' in when else 'Complete' if 'e' in when else 'Error'}"


def _number(request: Request, letter: str, default: str) -> int:
    text = request.text(letter, default)
    try:
        return int(text)
    except ValueError:
        raise CondorError(f"condor_qsub: -{letter} {text}: not a number") from None


def start_time(text: str, now: float) -> int:
    """Unix time of ``[[[[CC]YY]MM]DD]hhmm[.SS]``; without a day it is the next such time. Raises CondorError."""
    match = re.fullmatch(r"((?:(?:(?:\d\d)?\d\d)?\d\d)?\d\d)?(\d\d)(\d\d)(?:\.(\d\d))?", text)
    if match is None:
        raise CondorError(f"condor_qsub: -a {text}: not a date of the form [[[[CC]YY]MM]DD]hhmm[.SS]")
    date, hour, minute, second = match[1] or "", int(match[2]), int(match[3]), int(match[4] or 0)
    today = time.localtime(now)
    day = int(date[-2:]) if date else today.tm_mday
    month = int(date[-4:-2]) if len(date) >= 4 else today.tm_mon
    year = today.tm_year
    if len(date) == 8:
        year = int(date[:4])
    elif len(date) == 6:
        year = today.tm_year // 100 * 100 + int(date[:2])
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second < 62):
        raise CondorError(f"condor_qsub: -a {text}: no such date")

    def at(months: int, days: int) -> int:
        return int(time.mktime((year, month + months, day + days, hour, minute, second, 0, 0, -1)))

    if at(0, 0) >= now or len(date) >= 4:
        return at(0, 0)
    return at(1, 0) if date else at(0, 1)


def _size(text: str, name: str) -> int:
    """Bytes of a PBS size: a number and perhaps kb, mb, gb, tb."""
    match = re.fullmatch(r"(\d+)([kmgt]?)b?", text.lower())
    if match is None:
        raise CondorError(f"condor_qsub: -l {name}={text}: not a size")
    return int(match[1]) * _UNITS[match[2]]


def _resources(request: Request) -> tuple[list[str], list[str]]:
    """The requirements and the submit commands of -l. Limits of time and unknown names are left out, as in HTCondor."""
    requirements: list[str] = []
    lines: list[str] = []
    for item in request.resources:
        name, _, value = item.partition("=")
        plain = value.strip('"')
        if name == "arch":
            requirements.append(f'(Arch == "{plain}")')
        elif name == "opsys":
            requirements.append(f'(OpSys == "{plain}")')
        elif name == "host":
            requirements.append(f'(Machine == "{plain}")')
        elif name == "mem":
            lines.append(f"request_memory = {max(1, math.ceil(_size(value, name) / (1 << 20)))}")
        elif name == "file":
            lines.append(f"request_disk = {max(1, math.ceil(_size(value, name) / (1 << 10)))}")
        elif name == "procs":
            lines.append(f"request_cpus = {value}")
        elif name == "nodes":
            requirements += _nodes(value, lines)
        elif item:
            hint(f"condor_qsub: -l {item} is left out: there is no resource {name}")
    return requirements, lines


def _nodes(text: str, lines: list[str]) -> list[str]:
    """``2:ppn=4:gpus=1`` or ``name:ppn=2``; one machine has all of it, so the processors add up."""
    cpus = gpus = 0
    hosts: list[str] = []
    for node in text.split("+"):
        first, *properties = node.split(":")
        count = as_integer(first) if first.isdecimal() else 1
        if not first.isdecimal():
            hint(f"condor_qsub: -l nodes={text}: {first} is taken for the name of a machine")
            hosts.append(f'Machine == "{first}"')
        settings = dict(item.partition("=")[::2] for item in properties)
        cpus += count * int(settings.get("ppn") or 1)
        gpus += count * int(settings.get("gpus") or 0)
    if cpus > 1:
        lines.append(f"request_cpus = {cpus}")
    if gpus:
        lines.append(f"request_gpus = {gpus}")
    return [f"({' || '.join(hosts)})"] if hosts else []


def _staging(request: Request) -> Iterator[str]:
    for item in request.staging:
        name, _, files = item.strip().partition("=")
        names = ",".join(part.partition(":")[2] or part for part in files.split(","))
        if name == "stagein":
            yield f"transfer_input_files = {names}"
        elif name == "stageout":
            yield "when_to_transfer_output = ON_EXIT"
            yield f"transfer_output_files = {names}"


def environment(text: str) -> list[str]:
    """The entries of -v for the environment command, quoted; a name without a value gets True."""
    entries = []
    for item in text.split(","):
        name, equals, value = item.partition("=")
        value = (value if equals else "True").replace('"', '""').replace("'", "''")
        if name:
            entries.append(f"{name}='{value}'" if re.search(r"[\s']", value) else f"{name}={value}")
    return entries


def _queue(request: Request, output: str, error: str) -> Iterator[str]:
    entries = environment(request.text("v"))
    if not request.has("t"):
        if entries:
            yield f'environment = "{" ".join(entries)}"'
        yield "Queue"
        return
    first, last, step = task_range(request.text("t"))
    for task in range(first, last + 1, step):
        task_entries = [
            f"SGE_TASK_ID={task}",
            f"SGE_TASK_FIRST={first}",
            f"SGE_TASK_STEPSIZE={step}",
            f"SGE_TASK_LAST={last}",
        ]
        yield f'environment = "{" ".join(entries + task_entries)}"'
        yield f"error = {error}.{task}"
        yield f"output = {output}.{task}"
        yield "Queue"


def task_range(text: str) -> tuple[int, int, int]:
    """First, last and step of ``FIRST[-LAST[:STEP]]``. Raises CondorError."""
    match = re.fullmatch(r"(\d+)(?:-(\d+)(?::(\d+))?)?", text)
    if match is None or as_integer(match[3] or "1") == 0 or as_integer(match[2] or match[1]) < as_integer(match[1]):
        raise CondorError(f"condor_qsub: -t {text}: not a range of the form FIRST[-LAST[:STEP]]")
    return as_integer(match[1]), as_integer(match[2] or match[1]), as_integer(match[3] or "1")
