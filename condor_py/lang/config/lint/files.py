"""Files, directories and programs that settings name and that are not there, or are something else."""

from __future__ import annotations

import os
import pwd
import re
from collections.abc import Callable, Iterator

from condor_py.lang.config.builders.daemon import SYSLOG
from condor_py.lang.config.lint.finding import Finding
from condor_py.lang.config.lint.known import base_name
from condor_py.lang.config.lint.subject import Subject, finding
from condor_py.lang.config.loader import account_home
from condor_py.lang.config.values import to_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from condor_py.lang.config import Config

#: Directories that the daemons make with all above them.
_MADE = re.compile(
    r"(?:LOCAL_DIR|SPOOL|LOG|LOCK|RUN|EXECUTE|DAEMON_SOCKET_DIR|LOCAL_UNIV_EXECUTE|SLOT\d+_EXECUTE)\Z", re.IGNORECASE
)
#: Directories that have to be there.
_THERE = re.compile(
    r"(?:PER_JOB_HISTORY_DIR|JOB_EPOCH_HISTORY_DIR|STARTD_PER_JOB_HISTORY_DIR|RELEASE_DIR|(?:STARTD|SCHEDD)_CRON_\w+_CWD"
    r"|BACKFILL_COMMAND_INITIALDIR|BOINC_INITIALDIR|DOCKER_VOLUME_DIR_\w+(?<!_MOUNT_IF))\Z",
    re.IGNORECASE,
)
_LISTS = re.compile(r"(?:LOCAL_CONFIG_DIR)\Z", re.IGNORECASE)
#: Programs, of which the first word counts where arguments may follow.
_PROGRAM = re.compile(
    r"(?:USER_JOB_WRAPPER|MAIL|SINGULARITY|DOCKER|QEMU|VIRSH|HIBERNATION_PLUGIN|GPU_MONITOR|BOINC_EXECUTABLE"
    r"|(?:STARTD_CRON|SCHEDD_CRON|BENCHMARKS)_\w+_EXECUTABLE|\w+_HOOK_(?:FETCH_WORK|REPLY_FETCH|PREPARE_JOB"
    r"|PREPARE_JOB_BEFORE_TRANSFER|SHADOW_PREPARE_JOB|UPDATE_JOB_INFO|EVICT_CLAIM|JOB_EXIT|TRANSLATE_JOB|JOB_FINALIZE"
    r"|JOB_CLEANUP)|LIBVIRT_XML_SCRIPT|(?:MASTER|SCHEDD|STARTD|NEGOTIATOR|STARTER))\Z",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    r"(?:MACHINE_RESOURCE_INVENTORY_\w+|BACKFILL_COMMAND|SLOT\d+_BACKFILL_COMMAND|ROOSTER_WAKEUP_CMD|MASTER_SHUTDOWN_\w+"
    r"|JOB_ROUTER_ENTRIES_CMD)\Z",
    re.IGNORECASE,
)
_PROGRAMS = re.compile(r"FILETRANSFER_PLUGINS\Z", re.IGNORECASE)
#: Files that are read.
_READ = re.compile(
    r"(?:CLASSAD_USER_MAPFILE_\w+|JOB_ROUTER_ENTRIES_FILE|INTERACTIVE_SUBMIT_FILE|DAGMAN_CONFIG_FILE|DAGMAN_INSERT_SUB_FILE"
    r"|PROTECTED_URL_TRANSFER_MAPFILE|GRIDMANAGER_CONDOR_CONFIG|CHECKPOINT_DESTINATION_MAPFILE|EXTENDED_SUBMIT_HELPFILE"
    r"|DOCKER_TEST_IMAGE_PATH)\Z",
    re.IGNORECASE,
)
#: Files that are written, in a directory that has to be there or is one that the daemons make.
_WRITTEN = re.compile(
    r"(?:EVENT_LOG|HISTORY|STARTD_HISTORY|JOB_EPOCH_HISTORY|NEGOTIATION_HISTORY|STARTD_EVENTLOG|JOB_QUEUE_LOG"
    r"|ACCOUNTANT_DATABASE_FILE|FILE_TRANSFER_STATS_LOG|COLLECTOR_PERSISTENT_AD_LOG|SHADOW_RECONNECT_LOG)\Z",
    re.IGNORECASE,
)
#: Logs of daemons, which may go to syslog instead.
_LOG = re.compile(
    r"(?:MASTER|SCHEDD|STARTD|STARTER|NEGOTIATOR|NEGOTIATOR_MATCH|DEFRAG|JOB_ROUTER|ROOSTER|GANGLIAD|GRIDMANAGER)_LOG\Z",
    re.IGNORECASE,
)
_ACCOUNT = re.compile(
    r"(?:SLOT\d+(?:_\d+)?_USER|NOBODY_SLOT_USER|VM_UNIV_NOBODY_USER|BACKFILL_COMMAND_OWNER|BOINC_OWNER)\Z",
    re.IGNORECASE,
)
#: What need not be there: packages set it for all machines.
_OPTIONAL = re.compile(r"(?:SINGULARITY|DOCKER|MAIL|QEMU|VIRSH|RELEASE_DIR|LOCAL_CONFIG_DIR)\Z", re.IGNORECASE)
#: The longest path of a socket that the kernel takes, less the names of ours.
_SOCKET_DIRECTORY = 90


def check_files(subject: Subject) -> Iterator[Finding]:
    """Yield findings for things that a setting of the configuration names on this machine and that are not usable."""
    for macro in subject.settings:
        if macro.origin.template:
            continue
        base = base_name(macro.name)
        text = (subject.expand(macro.value) or "").strip().strip('"').strip()
        if not text or text.endswith("|"):
            continue
        for pattern, problem in _CHECKS:
            if pattern.match(base):
                wrong = problem(text, _made(subject))
                if wrong:
                    yield finding("note" if _OPTIONAL.match(base) else "warning", macro, wrong)
                break


def check_user_file(config: Config) -> Iterator[Finding]:
    """Name a user_config below HOME that is not read: as in HTCondor, the home directory of the account counts."""
    name, home = config.string("USER_CONFIG_FILE"), config.environ.get("HOME", "")
    path = os.path.join(home, ".condor", name)
    if name.startswith("/") or not home or os.geteuid() == 0 or not os.path.isfile(path):
        return
    if not any(os.path.exists(file) and os.path.samefile(file, path) for file in config.files):
        message = f"is not read: the home directory of this account is {account_home()}, not {home}"
        yield Finding("warning", "USER_CONFIG_FILE", path, 0, message)


def check_sections(config: Config) -> Iterator[Finding]:
    """Name lines such as ``[startd]``, which HTCondor passes over: there are no sections."""
    for path in filter(os.path.isfile, config.files):
        end = ""
        with open(path, encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                text = line.strip()
                if end:
                    end = "" if text == f"@{end}" else end
                elif (opened := re.search(r"@=(\w+)\Z", text)) is not None:
                    end = opened[1]
                elif re.fullmatch(r"\[[\w .-]*\]", text):
                    message = "there are no sections: the line does nothing, and what follows it counts for all daemons"
                    yield Finding("warning", text, path, number, message)


def _made(subject: Subject) -> tuple[str, ...]:
    """The directories that daemons make when they start."""
    names = ("LOCAL_DIR", "SPOOL", "LOG", "LOCK", "EXECUTE", "DAEMON_SOCKET_DIR")
    return tuple(path.rstrip("/") for name in names if (path := subject.string(name)))


def _directory_to_make(path: str, made: tuple[str, ...]) -> str:
    if not path.startswith("/"):
        return f"{path} is no full path: daemons work in /" if path != "auto" else ""
    above = path.rstrip("/") or "/"
    while above != "/" and not os.path.lexists(above):
        above = os.path.dirname(above)
    if not os.path.isdir(above):
        return f"{path} cannot be made: {above} is no directory" if above != path else f"{path} is no directory"
    if above.startswith(("/proc", "/sys")):
        return f"{path} cannot be made in {above}"
    if len(path) > _SOCKET_DIRECTORY and path.endswith(tuple(made[-1:])):
        return f"the path has {len(path)} characters: sockets need one of at most {_SOCKET_DIRECTORY}"
    return ""


def _directory(path: str, made: tuple[str, ...]) -> str:
    place = path.partition(":")[0]
    if place.rstrip("/") in made or os.path.isdir(place) or not _can_tell(place):
        return ""
    return f"{place} is {'no directory' if os.path.lexists(place) else 'not there'}"


def _directories(text: str, made: tuple[str, ...]) -> str:
    return next((wrong for path in to_list(text) if (wrong := _directory(path, made))), "")


def _program(path: str, made: tuple[str, ...]) -> str:
    if "/" not in path or not _can_tell(path):
        return "" if "/" in path or _in_path(path) else f"there is no program {path} in PATH"
    if not path.startswith("/"):
        return f"{path} is no full path"
    if not os.path.lexists(path):
        return f"there is no program {path}"
    if os.path.isdir(path):
        return f"{path} is a directory, no program"
    return "" if os.stat(path).st_mode & 0o111 else f"{path} is no program: it lacks the right to be executed"


def _in_path(name: str) -> bool:
    import shutil

    return shutil.which(name) is not None


def _command(text: str, made: tuple[str, ...]) -> str:
    words = text.split()
    return _program(words[0].strip('"'), made) if words[0].startswith("/") else ""


def _programs(text: str, made: tuple[str, ...]) -> str:
    return next((wrong for path in to_list(text) if (wrong := _program(path, made))), "")


def _file(path: str, made: tuple[str, ...]) -> str:
    if os.path.isfile(path) or not _can_tell(path) or not path.startswith("/"):
        return ""
    return f"{path} is {'no file' if os.path.lexists(path) else 'not there'}"


def _written(path: str, made: tuple[str, ...]) -> str:
    folder = os.path.dirname(path)
    if os.path.isdir(path):
        return f"{path} is a directory: a file is meant"
    if not path.startswith("/"):
        return f"{path} is no full path: daemons work in /"
    if folder in made or os.path.isdir(folder) or not _can_tell(folder):
        return ""
    return f"the directory {folder} is not there"


def _log(path: str, made: tuple[str, ...]) -> str:
    return "" if path == SYSLOG else _written(path, made)


def _account(name: str, made: tuple[str, ...]) -> str:

    try:
        pwd.getpwnam(name.partition("@")[0].rpartition("\\")[2])
    except KeyError:
        return f"there is no account {name}"
    return ""


def _interface(name: str, made: tuple[str, ...]) -> str:
    if not re.fullmatch(r"[A-Za-z][\w.-]*", name) or os.path.isdir(f"/sys/class/net/{name}"):
        return ""
    return f"this machine has no network interface {name}"


def _modules(text: str, made: tuple[str, ...]) -> str:
    from condor_py.lang.config.builders.usermodules import problem

    found = ((name, problem(name)) for name in to_list(text))
    return next((f"cannot load {name}: {why}" for name, why in found if why), "")


def _can_tell(path: str) -> bool:
    """Whether we may read ``path``: an administrator's configuration is also checked by others."""
    try:
        os.lstat(path)
    except PermissionError:
        return False
    except OSError:
        return True
    return True


_CHECKS: tuple[tuple[re.Pattern[str], Callable[[str, tuple[str, ...]], str]], ...] = (
    (_MADE, _directory_to_make),
    (_THERE, _directory),
    (_LISTS, _directories),
    (_PROGRAM, _program),
    (_COMMAND, _command),
    (_PROGRAMS, _programs),
    (_READ, _file),
    (_WRITTEN, _written),
    (_LOG, _log),
    (_ACCOUNT, _account),
    (re.compile(r"NETWORK_INTERFACE\Z", re.IGNORECASE), _interface),
    (re.compile(r"CLASSAD_USER_PYTHON_MODULES\Z", re.IGNORECASE), _modules),
)
