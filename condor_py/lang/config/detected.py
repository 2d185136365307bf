"""The macros that are detected on the machine and for the user, each when it is first asked for.

INITIAL macros may be overridden by configuration, FIXED ones win over it (as in HTCondor, which sets them last).
"""

from __future__ import annotations

import os
from collections.abc import Callable

from condor_py.model import limits, system
from condor_py.model.version import CONDOR_VERSION, HTCONDOR_VERSION, condor_platform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

Read = Callable[[str], str]

#: Configuration files of the machine, in the order in which they are looked for.
MACHINE_FILES = ("/etc/condor/condor_config", "/usr/local/etc/condor_config")
#: Directories of the machine's pool where nothing sets LOCAL_DIR, as packages of HTCondor have them.
MACHINE_DIRECTORIES = {"local_dir": "/var/lib/condor", "log": "/var/log/condor", "lock": "/run/condor"}

_SPELLINGS = {
    "condorisadmin": "CondorIsAdmin",
    "condorversion": "CondorVersion",
    "condorplatform": "CondorPlatform",
}


class Detected:
    """The automatic macros of one process. ``read`` gives a file's text (OSError when it does not exist).

    ``root_config`` is the path of the first configuration file ("" without one).
    """

    __slots__ = ("_known", "environ", "local_name", "read", "root_config", "subsystem")

    def __init__(
        self, subsystem: str, local_name: str, environ: Mapping[str, str], read: Read, root_config: str = ""
    ) -> None:
        self.subsystem = subsystem
        self.local_name = local_name
        self.environ = environ
        self.read = read
        self.root_config = root_config
        self._known: dict[str, str | None] = {}

    def initial(self, name: str) -> str | None:
        """The value of the automatic macro ``name`` (lower case) that configuration may replace; None if unknown."""
        return self._value(name, _INITIAL) if name in _INITIAL else None

    def fixed(self, name: str) -> str | None:
        """The value of the automatic macro ``name`` (lower case) that nothing replaces; None if unknown."""
        return self._value(name, _FIXED) if name in _FIXED else None

    def _value(self, name: str, probes: Mapping[str, _Probe]) -> str | None:
        if name not in self._known:
            self._known[name] = probes[name](self)
        return self._known[name]

    def name_host(self, name: str) -> None:
        """Make ``name`` the machine's full name instead of what the system says."""
        self._known["full_hostname"] = name
        self._known["hostname"] = name.partition(".")[0]

    def text_of(self, path: str) -> str:
        """The text of ``path``, "" when it cannot be read."""
        try:
            return self.read(path)
        except OSError:
            return ""


def names() -> tuple[str, ...]:
    """The automatic macros as HTCondor spells them."""
    return tuple(_SPELLINGS.get(name, name.upper()) for name in (*_INITIAL, *_FIXED))


def canonical(name: str) -> str | None:
    """Return the usual spelling of an automatic macro, None for any other ``name``."""
    key = name.lower()
    return _SPELLINGS.get(key, key.upper()) if key in _INITIAL or key in _FIXED else None


def hostname() -> str:
    """The machine's name up to the first dot."""
    return _machine_name().partition(".")[0]


def _machine_name() -> str:
    """The name that the kernel has. It takes any bytes: what ads and logs cannot have in a name is an underline."""
    name = os.uname().nodename or "localhost"
    return "".join("_" if each.isspace() or each < " " or each in "\"'\\\x7f" else each for each in name)


def full_hostname(detected: Detected) -> str:
    """The machine's name with its domain, where /etc/hosts or the name itself knows one. No name server is asked."""
    name = _machine_name()
    if "." in name:
        return name
    for line in detected.text_of("/etc/hosts").splitlines():
        words = line.partition("#")[0].split()[1:]
        if name in words:
            return next((word for word in words if word.startswith(name + ".")), name)
    return name


def _user() -> str | None:
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return None


def condor_home(_detected: Detected | None = None) -> str | None:
    """The home of the user "condor" (TILDE), None when there is no such user."""
    import pwd

    try:
        return pwd.getpwnam("condor").pw_dir
    except KeyError:
        return None


def _own_directory(environ: Mapping[str, str]) -> str:
    """Return the directory of this account's own pool."""
    if environ.get("XDG_STATE_HOME", "").startswith("/"):
        return os.path.join(environ["XDG_STATE_HOME"], "condor_py")
    return os.path.expanduser("~/.local/state/condor_py")


def _has_queue(local_dir: str) -> bool:
    return os.path.exists(f"{local_dir}/spool/job_queue.log")


def is_of_machine(root_config: str, environ: Mapping[str, str]) -> bool:
    """Whether the pool is the machine's where nothing sets LOCAL_DIR: its configuration file is used, or there is none
    and the account is root, or has no pool of its own while the machine has one."""
    if root_config:
        return root_config in MACHINE_FILES and not condor_home()
    if environ.get("XDG_STATE_HOME") or _has_queue(_own_directory(environ)):
        return False
    return os.geteuid() == 0 or _has_queue(MACHINE_DIRECTORIES["local_dir"])


def _local_dir(detected: Detected) -> str | None:
    """Return the directory of a pool of this account. None where the default of LOCAL_DIR counts."""
    if (detected.root_config and detected.fixed("tilde")) or is_of_machine(detected.root_config, detected.environ):
        return None
    return _own_directory(detected.environ)


def usable_cpus(detected: Detected) -> int:
    """Cpus of the affinity mask, at most the whole cpus of the control group's quota; at least 1."""
    return limits.usable_cpus(detected.text_of, len(os.sched_getaffinity(0)))


def _cores(detected: Detected) -> int:
    import re

    ids = re.findall(
        r"^physical id\s*:\s*(\d+).*?^core id\s*:\s*(\d+)",
        detected.text_of("/proc/cpuinfo"),
        re.MULTILINE | re.DOTALL,
    )
    usable = usable_cpus(detected)
    return min(len(set(ids)) or usable, usable)


def _cpus_limit(detected: Detected) -> str:
    """The lowest of DETECTED_CPUS and of the limits that batch systems set around us."""
    limits = [detected.environ.get(name, "") for name in ("OMP_THREAD_LIMIT", "SLURM_CPUS_ON_NODE")]
    usable = usable_cpus(detected)
    return str(min([usable, *(int(limit) for limit in limits if limit.isdigit() and int(limit) > 0)]))


def _long_name(detected: Detected) -> str:
    return system.long_name(detected.text_of)


def _distribution(detected: Detected) -> str:
    return system.distribution(_long_name(detected))


def _version(detected: Detected) -> tuple[int, int]:
    return system.version(_long_name(detected))


def _opsys_and_ver(detected: Detected) -> str:
    return f"{_distribution(detected)}{_version(detected)[0] or ''}"


def _arch() -> str:
    return system.arch(os.uname().machine)


def _platform(detected: Detected) -> str:
    return condor_platform(_arch(), system.platform_tag(_distribution(detected), _version(detected)[0]))


def _ip_address(_detected: Detected) -> str:
    """The address that outgoing packets carry (nothing is sent), the loopback's when there is no route."""
    return _source_address("AF_INET", "192.0.2.1") or "127.0.0.1"


def _ipv6_address(_detected: Detected) -> str | None:
    """The same for version 6; None without a route."""
    return _source_address("AF_INET6", "2001:db8::1")


def _source_address(family: str, target: str) -> str | None:
    import socket

    try:
        with socket.socket(getattr(socket, family), socket.SOCK_DGRAM) as probe:
            probe.connect((target, 9))
            return str(probe.getsockname()[0])
    except OSError:
        return None


def _module_suffix() -> str:
    from importlib.machinery import EXTENSION_SUFFIXES

    return EXTENSION_SUFFIXES[0]


def _python_minor() -> str:
    import sys

    return str(sys.version_info.minor)


_Probe = Callable[[Detected], "str | None"]

_INITIAL: dict[str, _Probe] = {
    "arch": lambda _: _arch(),
    "opsys": lambda _: "LINUX",
    "opsysandver": _opsys_and_ver,
    "opsysver": lambda d: str(_version(d)[1]),
    "opsysmajorver": lambda d: str(_version(d)[0]),
    "opsysname": _distribution,
    "opsysshortname": _distribution,
    "opsyslongname": _long_name,
    "opsyslegacy": lambda _: "LINUX",
    "uname_arch": lambda _: os.uname().machine,
    "uname_opsys": lambda _: os.uname().sysname,
    "utsname_sysname": lambda _: os.uname().sysname,
    "utsname_nodename": lambda _: os.uname().nodename,
    "utsname_release": lambda _: os.uname().release,
    "utsname_version": lambda _: os.uname().version,
    "utsname_machine": lambda _: os.uname().machine,
    "condorversion": lambda _: CONDOR_VERSION,
    "condorplatform": _platform,
    "condor_version": lambda _: HTCONDOR_VERSION,
    "condor_build_platform": lambda d: _platform(d).split()[1],
    "have_ext_krb5": lambda _: "0",
    "python3_module_suffix": lambda _: _module_suffix(),
    "python3_version_minor": lambda _: _python_minor(),
    "condorisadmin": lambda _: "true" if os.geteuid() == 0 else "false",
    "local_dir": _local_dir,
    "config_root": lambda d: (os.path.dirname(d.root_config) or ".") if d.root_config else None,
    "detected_memory": lambda d: str(limits.memory_mb(d.text_of)),
    "detected_cpus": lambda d: str(usable_cpus(d)),
    "detected_cores": lambda d: str(usable_cpus(d)),
    "detected_physical_cpus": lambda d: str(_cores(d)),
    "detected_cpus_limit": _cpus_limit,
}

_FIXED: dict[str, _Probe] = {
    "tilde": condor_home,
    "hostname": lambda _: hostname(),
    "full_hostname": full_hostname,
    "subsystem": lambda d: d.subsystem,
    "localname": lambda d: d.local_name or d.subsystem,
    "username": lambda _: _user(),
    "real_uid": lambda _: str(os.getuid()),
    "real_gid": lambda _: str(os.getgid()),
    "pid": lambda _: str(os.getpid()),
    "ppid": lambda _: str(os.getppid()),
    "ip_address": _ip_address,
    "ip_address_is_ipv6": lambda _: "false",
    "ipv4_address": _ip_address,
    "ipv6_address": _ipv6_address,
}
