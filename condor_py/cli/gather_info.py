"""condor_gather_info: facts about this machine, its pool and a job in one file, for a person who helps."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
from typing import TYPE_CHECKING, NamedTuple

from condor_py.cli.common import check_place, handle_help_and_version, refuse_words
from condor_py.cli.options import EXACT, Opt, ToolSpec, UsageError, parse
from condor_py.client.accounts import account_name
from condor_py.machine.run import failures
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from condor_py.client.pool import Pool

_ALL_TIMES = "accepted; events of all times are taken"
_SPEC = ToolSpec(
    name="condor_gather_info",
    usage="[--jobid CLUSTER.PROC] [--scratch DIR]",
    summary="Gather facts about this machine, its pool and a job, for a person who helps.",
    description=(
        "Without --jobid the facts go into the file condor-profile.txt: system, mounts, processes, configuration. With "
        "--jobid they go with the job's ad, its analysis, its events, and the logs of the daemons into a file "
        "cgi-USER-jidCLUSTER.PROC-DATE.tar.gz of the working directory. Passwords in URLs, values of knobs and "
        "attributes with names like PASSWORD, TOKEN or SECRET, the environment of the job and arguments of processes "
        "are left out. Look through the rest before you send it: arguments of the job and host names are in it. Only "
        "you can read the files."
    ),
    options=(
        Opt("jobid", EXACT, "CLUSTER.PROC", "the job"),
        Opt("scratch", EXACT, "DIR", "where the file is made before it is moved to the working directory", takes="dir"),
        Opt("schedd", EXACT, "NAME", "the schedd; that of this machine is the only one"),
        Opt("pool", EXACT, "HOST", "the pool; that of this machine is the only one"),
        Opt("sdate", EXACT, "TIME", _ALL_TIMES, dash_value=True),
        Opt("edate", EXACT, "TIME", _ALL_TIMES, dash_value=True),
        Opt("help", EXACT, help="this text"),
        Opt("version", EXACT, help="the version and the platform"),
    ),
    examples=(
        ("condor_gather_info", "facts about the machine and its pool"),
        ("condor_gather_info --jobid 25.0", "the same, with all about a job"),
    ),
    exit_status="0, or 1 when the file cannot be made or the command line is wrong.",
    see_also=("condor_q", "condor_fetchlog", "condor_who"),
)
SPECS = (_SPEC,)

_PROFILE = "condor-profile.txt"
#: Seconds that a program of the system may take, and bytes that are kept of a file or an output.
_PATIENCE = 30
_MOST = 32 << 20
#: Logs of daemons, by what condor_fetchlog calls them, with the name in the file.
_LOGS = (
    ("MASTER", "MasterLog"), ("MASTER.old", "MasterLog.old"), ("SCHEDD", "SchedLog"), ("SCHEDD.old", "SchedLog.old"),
    ("SHADOW", "ShadowLog"), ("SHADOW.old", "ShadowLog.old"), ("NEGOTIATOR", "NegotiatorLog"), ("STARTD", "StartLog"),
)  # fmt: skip

# -- secrets

# Repetitions have limits: what users wrote into logs must not make this slow.
_WORD = re.compile(r"[^\s\"'<>]+")
_NAMES = "passwd|password|passphrase|secret|token|credential|claimid|capability|_key"
#: An assignment to a name that tells of a secret.
_SECRET = re.compile(rf"([ \t]{{0,9}}[\w.]{{0,100}}(?:{_NAMES})\w{{0,100}}[ \t]{{0,9}}=)(.*)", re.IGNORECASE)
_ENVIRONMENT = re.compile(r"((?:Env|Environment)[ \t]{0,9}=)(.*)", re.IGNORECASE)
#: What condor_config_val -verbose says of the value above.
_DETAIL = re.compile(r"( # (?:raw|expanded|default): )(.*)")
_HARMLESS = re.compile(r"\s*(?:true|false|\d+|undefined)?\s*\Z", re.IGNORECASE)
_LEFT_OUT = "(left out)"


def without_secrets(text: str) -> str:
    """Return a text without passwords and queries of URLs, and without values that are named as secrets."""
    lines, hides = [], False
    for line in text.split("\n"):
        assigned = _SECRET.match(line) or _ENVIRONMENT.match(line)
        found = assigned or _DETAIL.match(line)
        if found is not None and (assigned or hides) and not _HARMLESS.match(found[2]):
            line = f"{found[1]}{' ' if assigned else ''}{_LEFT_OUT}"
        hides = assigned is not None or (hides and line.startswith(" # "))
        lines.append(line)
    return _WORD.sub(lambda word: _shown_urls(word[0]), "\n".join(lines))


def _shown_urls(word: str) -> str:
    """Return a word without passwords and queries of the URLs in it."""
    if "://" not in word:
        return word
    first, *places = word.split("://")
    return "://".join([first, *(failures.without_secrets(f"x://{place}").removeprefix("x://") for place in places)])


# -- the profile of the machine


class _Section(NamedTuple):
    """A heading and what makes the text below it."""

    heading: str
    text: Callable[[], str]


def _file(path: str) -> _Section:
    return _Section(path, lambda: _read(path))


def _program(*words: str) -> _Section:
    return _Section(" ".join(words), lambda: _output(*words))


def _tool(*words: str) -> _Section:
    return _Section(" ".join(words), lambda: _printed(*words))


def _read(path: str) -> str:
    """The content of a file, at most so much of its end, or why it cannot be read."""
    from condor_py.machine.run.userfiles import user_file

    try:
        with user_file(path, "rb", links=True) as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - _MOST))
            return str(file.read(_MOST).decode("utf-8", "surrogateescape"))
    except OSError as error:
        return f"{path}: {error.strerror}\n"


def _output(*words: str) -> str:
    """The output of a program of the system."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/bin:/sbin:/bin"
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"},
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{words[0]}: {getattr(error, 'strerror', None) or error}\n"
    return done.stdout[:_MOST].decode("utf-8", "surrogateescape")


def _printed(*words: str) -> str:
    """The output of a command of condor_py, with its errors."""
    from condor_py.cli.inner import quietly

    done = quietly(*words)
    return done.out + done.err


def _limits() -> str:
    import resource

    names = sorted(name for name in dir(resource) if name.startswith("RLIMIT_"))
    pairs = ((name, resource.getrlimit(getattr(resource, name))) for name in names)
    return "".join(f"{name[7:].lower():<12} {_limit(soft):>20} {_limit(hard):>20}\n" for name, (soft, hard) in pairs)


def _limit(number: int) -> str:
    return "unlimited" if number < 0 else str(number)


def _sections(argv: list[str], pool: Pool) -> Iterator[_Section]:
    yield _Section("User who made this report", lambda: f"{account_name(os.geteuid())}\n")
    yield _Section("Command", lambda: " ".join([_SPEC.name, *argv]) + "\n")
    yield _Section("Machine", lambda: f"{os.uname().nodename}\n")
    yield _Section("Date", lambda: time.strftime("%a %d %b %Y %H:%M:%S %Z\n"))
    yield _program("uname", "-a")
    for path in ("os-release", "issue", "redhat-release", "debian_version", "hosts", "nsswitch.conf"):
        yield _file(f"/etc/{path}")
    yield _Section("ulimit -a", _limits)
    yield _program("ip", "address")
    yield _program("ps", "-eo", "user,pid,ppid,stat,lstart,time,rss,comm", "--forest")
    yield _program("df", "-h")
    yield _program("iptables", "-L", "-n")
    yield _program("uptime")
    yield _program("free")
    yield _file("/proc/meminfo")
    yield _program("ls", "-la", pool.config.path("LOG"))
    yield _program("ls", "-la", pool.config.path("SPOOL"))
    yield _tool("condor_version")
    yield _tool("condor_version", "-compiled")
    yield _tool("condor_config_val", "-config")
    yield _tool("condor_config_val", "-verbose", "-dump")
    yield _tool("condor_config_val", "-lint")
    yield _tool("condor_who", "-daemons")
    yield _tool("condor_status", "-any")


def _profile(argv: list[str], pool: Pool) -> str:
    sys.stdout.write("Gathering Condor and machine information...\n")
    sys.stdout.flush()
    parts = []
    for section in _sections(argv, pool):
        frame = "#" * (len(section.heading) + 4)
        parts.append(f"{frame}\n# {section.heading} #\n{frame}\n{section.text().rstrip()}\n\n")
    return without_secrets("".join(parts))


# -- all about a job


def _pieces(pool: Pool, job: JobId) -> Iterator[tuple[str, str]]:
    """Names and texts of all about a job."""
    name = str(job)
    yield f"{name}/job_q", _printed("condor_q", "-nobatch", name)
    ad = _printed("condor_q", "-long", name)
    if not _attribute(ad, "ClusterId"):
        sys.stdout.write(f"Job {job} does not appear in condor_q output, looking in condor_history.\n")
        ad = _printed("condor_history", "-long", name, "-limit", "1")
        if not _attribute(ad, "ClusterId"):
            sys.stdout.write(f"Job {job} does not appear in condor_history either.\n")
    yield f"{name}/job_ad", ad
    yield f"{name}/job_ad_analysis", _printed("condor_q", "-better-analyze", name)
    yield f"{name}/job_runs", _printed("condor_history", "-epochs", "-long", name, "-limit", "20")
    yield f"{name}/job_userlog_lines", _events(ad, job)
    for log, called in _LOGS:
        yield called, _log(pool, log)
    slot, at, _ = (_attribute(ad, "RemoteHost") or _attribute(ad, "LastRemoteHost")).rpartition("@")
    if at and re.fullmatch(r"\w+", slot):
        yield f"StarterLog.{slot}", _log(pool, f"STARTER.{slot}")
    else:
        sys.stdout.write("No remote host found in job ad -- perhaps job this never ran?\n")


def _attribute(ad: str, name: str) -> str:
    """The text of an attribute in an ad in long form, without quotes; "" for none."""
    found = re.search(rf"^{name} = (.*)$", ad, re.MULTILINE)
    return found[1].strip('"') if found else ""


def _log(pool: Pool, log: str) -> str:
    from condor_py.cli.fetchlog import log_files

    try:
        return "".join(_read(path) for path in log_files(pool, log))
    except CondorError as error:
        return f"{error}\n"


def _events(ad: str, job: JobId) -> str:
    """The events of a job in its event log, which is read with the rights of the job."""
    from condor_py.machine.run.identity import UnknownAccount, account, as_user

    log, directory = _attribute(ad, "UserLog"), _attribute(ad, "Iwd")
    if not log:
        return "No log file specified in job ad.\n"
    try:
        with as_user(account(_attribute(ad, "Owner")) if os.geteuid() == 0 else None):
            text = _read(os.path.join(directory, log))
    except UnknownAccount as error:
        return f"{error}\n"
    if text.lstrip()[:1] in ("<", "{"):
        found = _ads_of_events(text, log, job)
    else:
        wanted = re.compile(rf"\d{{3}} \(0*{job.cluster}\.0*{job.proc}\.")
        events = re.split(r"(?<=^\.\.\.\n)", text, flags=re.MULTILINE)
        found = "".join(event for event in events if wanted.match(event))
    return found or f"No event of job {job} in {log}.\n"


def _ads_of_events(text: str, log: str, job: JobId) -> str:
    """The events of a job in a log of the XML or JSON form, as ads in the long form: secrets are found in these."""
    from condor_py.store.event_log import parse, split_events

    try:
        events, _ = split_events(text.encode("utf-8", "surrogateescape"), log)
        ads = [parse(event) for event in events if event.job == job]
    except CondorError as error:
        return f"{error}\n"
    return "".join("".join(f"{name} = {value}\n" for name, value in ad) + "\n" for ad in ads)


def _pack(pool: Pool, argv: list[str], job: JobId, scratch: str) -> str:
    """Write all into a file; return its name. CondorError."""
    title = f"cgi-{account_name(os.geteuid())}-jid{job}-{time.strftime('%Y-%m-%d-%I_%M_%S%p-%Z')}"
    profile = _profile(argv, pool)
    try:
        handle, path = tempfile.mkstemp(".tar.gz", "cgi-", scratch)
        try:
            with open(handle, "wb") as file, tarfile.open(fileobj=file, mode="w:gz") as archive:
                _add(archive, f"{title}/{_PROFILE}", profile)
                for name, text in _pieces(pool, job):
                    _add(archive, f"{title}/{name}", without_secrets(text))
            import shutil

            shutil.move(path, f"{title}.tar.gz")
        except BaseException:
            os.unlink(path)
            raise
    except OSError as error:
        raise CondorError(f"condor_gather_info: cannot write {error.filename or scratch}: {error.strerror}") from None
    return f"{title}.tar.gz"


def _add(archive: tarfile.TarFile, name: str, text: str) -> None:
    data = text.encode("utf-8", "surrogateescape")
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = len(data), 0o600, int(time.time())
    archive.addfile(member, io.BytesIO(data))


def main(argv: list[str]) -> int:
    """Run condor_gather_info. An option and its value may be joined by an equals sign."""
    words = [part for word in argv for part in (word.split("=", 1) if word.startswith("--") else [word])]
    args = parse(_SPEC, words)
    if handle_help_and_version(args):
        return 0
    refuse_words(args)
    wanted = args.text("jobid")
    if wanted is not None and not re.fullmatch(r"[0-9]{1,9}\.[0-9]{1,9}", wanted):
        raise UsageError(f"condor_gather_info: {wanted} is no job: give CLUSTER.PROC", _SPEC, argument=wanted)
    from condor_py.client.pool import open_pool

    pool = open_pool()
    check_place(args, pool, "condor_gather_info: unknown schedd {name}", "schedd")
    if wanted is None:
        from condor_py.store.fs import RealFs, replace_file

        data = _profile(argv, pool).encode("utf-8", "surrogateescape")
        try:
            replace_file(RealFs(), _PROFILE, data, 0o600, durable=False)
        except OSError as error:
            raise CondorError(f"condor_gather_info: cannot write {_PROFILE}: {error.strerror}") from None
        sys.stdout.write(f"Information is in {_PROFILE}\n")
        return 0
    name = _pack(pool, argv, JobId.parse(wanted), args.text("scratch") or ".")
    sys.stdout.write(f"\nCreating output file with all results in {name}\n")
    return 0
