"""HTCondor's names of operating systems and processors: pure functions of uname and the distribution's files."""

from __future__ import annotations

from collections.abc import Callable

#: The text of a file; None or "" when there is none.
Read = Callable[[str], "str | None"]

UNKNOWN = "LINUX"
_ARCHES = {"x86_64": "X86_64", "amd64": "X86_64", **dict.fromkeys(("i386", "i486", "i586", "i686"), "INTEL")} | {
    "ppc": "PPC",
    "ppc32": "PPC",
    "ppc64": "PPC64",
}
_ISSUE_FILES = ("/etc/issue", "/etc/redhat-release", "/etc/system-release", "/etc/issue.net")
#: Words that must all be in the text (lower case) for a distribution's name; the first hit wins.
_DISTRIBUTIONS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("red", "hat"), "RedHat"),
    (("fedora",), "Fedora"),
    (("ubuntu",), "Ubuntu"),
    (("debian",), "Debian"),
    (("scientific", "cern"), "SLCern"),
    (("scientific", "slf"), "SLFermi"),
    (("scientific",), "SL"),
    (("centos",), "CentOS"),
    (("rocky",), "Rocky"),
    (("almalinux",), "AlmaLinux"),
    (("amazon linux",), "AmazonLinux"),
    (("opensuse",), "openSUSE"),
    (("suse",), "SUSE"),
)


def arch(machine: str) -> str:
    """The Arch of a uname machine name ("x86_64" is "X86_64", unknown ones stay as they are)."""
    return _ARCHES.get(machine.lower(), machine)


def distribution(text: str) -> str:
    """The distribution's name in ``text`` ("Debian GNU/Linux 12" is "Debian"), "LINUX" when there is none."""
    lower = text.lower()
    return next((name for words, name in _DISTRIBUTIONS if all(w in lower for w in words)), UNKNOWN)


def version(text: str) -> tuple[int, int]:
    """(major version, OpSysVer) of a long name: the first number, and 100 * major + minor ("8.6": 8, 806)."""
    start = next((i for i, letter in enumerate(text) if letter.isdecimal()), len(text))
    major, rest = _number(text[start:])
    minor = _number(rest[1:])[0] if rest.startswith(".") else 0
    return major, major * 100 + minor


def _number(text: str) -> tuple[int, str]:
    """The number at the beginning of ``text``, 0 without one, and what follows."""
    end = next((i for i, letter in enumerate(text) if not letter.isdecimal()), len(text))
    return int(text[:end] or 0), text[end:]


def long_name(read: Read) -> str:
    """OpSysLongName: the first line of an issue file that names a distribution, else PRETTY_NAME of os-release."""
    for path in _ISSUE_FILES:
        line = _without_escapes((read(path) or "").split("\n", 1)[0])
        if distribution(line) != UNKNOWN:
            return line
    for line in (read("/etc/os-release") or "").splitlines():
        if line.startswith("PRETTY_NAME="):
            return line.partition("=")[2].removeprefix('"').partition('"')[0]
    return "Unknown"


def _without_escapes(line: str) -> str:
    """The line without the spaces and the escapes of getty (host name, newline) at its end."""
    while line.endswith((" ", "\t", "\r", "\\n", "\\l")):
        line = line[:-1] if line[-1].isspace() else line[:-2]
    return line


def platform_tag(name: str, major: int) -> str:
    """Distribution and major version, as in ``Debian_12``."""
    return f"{name}_{major}" if major else name
