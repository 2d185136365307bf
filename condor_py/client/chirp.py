"""The work of condor_chirp and ``htchirp.condor_chirp`` for a running job: files and its own ad at the access point."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from condor_py.client.chirp_client import HTChirp

COMMANDS = {
    "fetch": "REMOTE LOCAL",
    "put": "[-mode MODE] [-perm PERM] LOCAL REMOTE",
    "remove": "REMOTE",
    "get_job_attr": "ATTRIBUTE",
    "get_job_attr_delayed": "ATTRIBUTE",
    "set_job_attr": "ATTRIBUTE EXPRESSION",
    "set_job_attr_delayed": "ATTRIBUTE EXPRESSION",
    "ulog": "TEXT",
    "read": "[-offset N] [-stride LENGTH SKIP] REMOTE LENGTH",
    "write": "[-offset N] [-stride LENGTH SKIP] REMOTE LOCAL [LENGTH]",
    "rmdir": "[-r] REMOTE",
    "getdir": "[-l] REMOTE",
    "whoami": "",
    "whoareyou": "HOST",
    "link": "[-s] OLD NEW",
    "readlink": "REMOTE LENGTH",
    "stat": "REMOTE",
    "lstat": "REMOTE",
    "statfs": "REMOTE",
    "access": "REMOTE RWXF",
    "chmod": "REMOTE MODE",
    "chown": "REMOTE UID GID",
    "lchown": "REMOTE UID GID",
    "truncate": "REMOTE LENGTH",
    "utime": "REMOTE ATIME MTIME",
}
#: Options of the commands -> how many words follow.
_OPTIONS = {"mode": 1, "perm": 1, "offset": 1, "stride": 2, "r": 0, "l": 0, "s": 0}
_NUMBERS = frozenset({"chown", "lchown", "truncate", "utime"})

Options = dict[str, list[str]]


class _Usage(Exception):
    """Words that are no command."""


def condor_chirp(chirp_args: str | Sequence[str], return_exit_code: bool = False) -> Any:
    """Does what the words of a command line say (see HTCondor's ``htchirp.condor_chirp``): what the method of HTChirp
    returns, or with ``return_exit_code`` the exit code, after printing that. TypeError for what is no command.
    """
    from condor_py.client.chirp_client import ChirpError, HTChirp

    words = shlex.split(chirp_args) if isinstance(chirp_args, str) else list(chirp_args)
    if not return_exit_code:
        try:
            name, options, given = _understood(words)
        except _Usage:
            raise TypeError("Command must be one of: " + ", ".join(COMMANDS)) from None
        with HTChirp() as chirp:
            return _perform(chirp, name, options, given)
    try:
        name, options, given = _understood(words)
        with HTChirp() as chirp:
            _print(name, _perform(chirp, name, options, given))
    except _Usage as error:
        sys.stdout.write(f"{error}\n")
        return 1
    except ValueError as error:
        known = "cannot chirp_connect to condor_starter" if "chirp" in str(error) else "condor_chirp"
        sys.stderr.write(f"{known}: {error}\n")
        return 1
    except (ChirpError, OSError, RuntimeError) as error:
        sys.stderr.write(f"condor_chirp: {error}\n")
        return 1
    return 0


def _understood(words: list[str]) -> tuple[str, Options, list[str]]:
    """The command, its options and arguments. _Usage says what would be right."""
    if not words or words[0] == "-h":
        raise _Usage(_usage())
    name, rest = words[0], words[1:]
    if name not in COMMANDS:
        raise _Usage(f"Unknown command {name}\n{_usage()}")
    options: Options = {}
    while rest and f"[{rest[0]}" in COMMANDS[name] and (count := _OPTIONS.get(rest[0][1:])) is not None:
        options[rest[0][1:]] = rest[1 : count + 1]
        if len(rest) <= count:
            raise _Usage(f"condor_chirp {name} {COMMANDS[name]}")
        rest = rest[count + 1 :]
    wanted = [word for word in COMMANDS[name].rpartition("] ")[2].split() if word[0] != "["]
    most = 3 if name == "write" else len(wanted)
    least = 2 if name == "write" else 1 if name == "readlink" else len(wanted)
    if not least <= len(rest) <= most:
        raise _Usage(f"condor_chirp {name} {COMMANDS[name]}")
    return name, options, rest


def _usage() -> str:
    return "Usage:\n" + "\n".join(f"condor_chirp {name} {words}".rstrip() for name, words in COMMANDS.items())


def _perform(chirp: HTChirp, name: str, options: Options, given: list[str]) -> Any:
    special = _SPECIAL.get(name)
    if special is not None:
        return special(chirp, options, given)
    words: list[Any] = [given[0], *_numbers(name, given[1:])] if name in _NUMBERS else given
    return getattr(chirp, name)(*words)


def _number(what: str, word: str, base: int = 10) -> int:
    """A number of the command line. ValueError says which one it should have been."""
    try:
        return int(word, base)
    except ValueError:
        raise ValueError(f"{what} must be {'an octal' if base == 8 else 'a'} number, not {word}") from None


def _numbers(name: str, words: list[str]) -> list[int]:
    """Return the numbers that follow the path of a command."""
    return [_number(what, word) for what, word in zip(COMMANDS[name].split()[1:], words, strict=True)]


def _place(options: Options) -> dict[str, int]:
    found = {"offset": _number("-offset", options["offset"][0])} if "offset" in options else {}
    if "stride" in options:
        found["stride_length"], found["stride_skip"] = (_number("-stride", word) for word in options["stride"])
    return found


def _fetch(chirp: HTChirp, options: Options, given: list[str]) -> int:
    """Standard output may be a file with something in it: it is not opened again."""
    if given[1] != "-":
        return chirp.fetch(given[0], given[1])
    return sys.stdout.buffer.write(chirp.contents(given[0]))


def _put(chirp: HTChirp, options: Options, given: list[str]) -> int:
    flags = options["mode"][0].replace("b", "") if "mode" in options else None
    mode = _number("-perm", options["perm"][0], 8) if "perm" in options else None
    if given[0] != "-":
        return chirp.put(given[0], given[1], flags, mode)
    return chirp.write(sys.stdin.buffer.read(), given[1], "wct" if flags is None else flags, mode)


def _read(chirp: HTChirp, options: Options, given: list[str]) -> bytes:
    return chirp.read(given[0], _number("LENGTH", given[1]), **_place(options))


def _write(chirp: HTChirp, options: Options, given: list[str]) -> int:
    if given[1] == "-":
        data = sys.stdin.buffer.read()
    else:
        with open(given[1], "rb") as file:
            data = file.read()
    length = _number("LENGTH", given[2]) if len(given) > 2 else None
    return chirp.write(data, given[0], "w", None, length, **_place(options))


_SPECIAL: dict[str, Callable[[Any, Options, list[str]], Any]] = {
    "fetch": _fetch,
    "put": _put,
    "read": _read,
    "write": _write,
    "rmdir": lambda chirp, options, given: chirp.rmdir(given[0], "r" in options),
    "getdir": lambda chirp, options, given: chirp.getdir(given[0], "l" in options),
    "link": lambda chirp, options, given: chirp.link(given[0], given[1], "s" in options),
    "readlink": lambda chirp, options, given: chirp.readlink(given[0])[
        : _number("LENGTH", given[1]) if given[1:] else None
    ],
    "chmod": lambda chirp, options, given: chirp.chmod(given[0], _number("MODE", given[1], 8)),
}


def _print(name: str, result: Any) -> None:
    if result is None or name in ("fetch", "put", "write"):
        return
    if isinstance(result, bytes):
        sys.stdout.buffer.write(result + b"\n")
        return
    lines = _lines(result) if isinstance(result, (dict, list)) else [str(result)]
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _lines(result: dict[str, Any] | list[str]) -> Iterator[str]:
    if isinstance(result, list):
        yield from result
        return
    for name, value in result.items():
        if isinstance(value, dict):
            yield name
            yield from (f"\t{line}" for line in _lines(value))
        elif name in ("atime", "mtime", "ctime"):
            from time import ctime

            yield f"{name}: {ctime(value)}"
        else:
            yield f"{'f_ffree' if name == 'f_free' else name}: {value}"  # as the system calls it
