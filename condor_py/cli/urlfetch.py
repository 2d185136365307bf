"""condor_urlfetch: a configuration from a URL, with a copy for when it cannot be fetched.

It is run while a configuration is read, and so reads none itself.
"""

from __future__ import annotations

import os
import sys

from condor_py.cli.common import HELP, VERSION, handle_help_and_version
from condor_py.cli.options import Opt, ToolSpec, UsageError, parse
from condor_py.model.errors import CondorError
from condor_py.store.fs import RealFs, describe, replace_file

_SPEC = ToolSpec(
    name="condor_urlfetch",
    usage="[-DAEMON] URL [FILE]",
    summary="Print a configuration from a URL, and keep a copy for when it cannot be fetched.",
    positional="URL [FILE]",
    positional_help="what to fetch (http, https, ftp or file), and where the copy is",
    description=(
        "It is the command of a LOCAL_CONFIG_FILE that ends in a bar. With -MASTER, or without -DAEMON, it fetches the "
        "URL each time, keeps what it got in FILE and prints it. With the name of any other daemon it only prints "
        "FILE, unless that does not exist or is empty. If the URL cannot be fetched, or answers with an error, FILE is "
        "printed unchanged."
    ),
    options=(
        Opt("MASTER", 1, help="fetch it in any case"),
        Opt("DAEMON", 1, help="any other daemon, such as -SCHEDD: print FILE if there is one"),
        VERSION,
        HELP,
    ),
    examples=(
        (
            "LOCAL_CONFIG_FILE = $(LIBEXEC)/condor_urlfetch -$(SUBSYSTEM) https://example.net/config $(ETC)/copy |",
            "in a configuration: what every machine has in common",
        ),
        ("condor_urlfetch https://example.net/config", "see what it is"),
    ),
    exit_status="0, 1 when the command line is wrong, 2 when FILE cannot be written, 3 when there is nothing to print.",
    see_also=("condor_config_val",),
)
SPECS = (_SPEC,)
#: Bytes that a configuration may have, and seconds that a server may be silent.
_LONGEST, _PATIENCE = 64 << 20, 60.0
_CANNOT_WRITE, _NOTHING = 2, 3


class _Failed(CondorError):
    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.exit_code = code


def main(argv: list[str]) -> int:
    """Run condor_urlfetch."""
    daemon = argv[0][1:] if argv and argv[0].startswith("-") else "MASTER"
    if len(argv) == 1 and argv[0].startswith("-"):
        args = parse(_SPEC, argv)
        if handle_help_and_version(args):
            return 0
    words = argv[1:] if argv and argv[0].startswith("-") else argv
    if not 1 <= len(words) <= 2:
        raise UsageError("", _SPEC, kind="unknown")
    url, copy = words[0], words[1] if words[1:] else ""
    if daemon.upper() == "MASTER" or not copy or not _has_content(copy):
        content = _fetch(url)
        if content is not None:
            if copy:
                _keep(copy, content)
            return _print(content)
    return _print(_kept(copy))


def _has_content(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return bool(file.read(1))
    except OSError:
        return False


def _fetch(url: str) -> bytes | None:
    """The content of a URL; None, with the reason on standard error, when it cannot be had as a whole."""
    import http.client
    import urllib.error
    import urllib.request

    try:
        with urllib.request.urlopen(url, timeout=_PATIENCE) as answer:
            content: bytes = answer.read(_LONGEST + 1)
        if len(content) <= _LONGEST:
            return content
        why = f"it is longer than {_LONGEST} bytes"
    except urllib.error.HTTPError as error:
        why = f"the server answers {error.code} {error.reason}"
    except (OSError, ValueError, http.client.HTTPException) as error:
        why = str(getattr(error, "reason", None) or error)
    # without the URL, which may have a password
    sys.stderr.write(f"condor_urlfetch: cannot fetch the URL: {why.replace(url, 'it')}\n")
    return None


def _keep(path: str, content: bytes) -> None:
    try:
        replace_file(RealFs(), path, content, 0o644, durable=False)
    except OSError as error:
        raise _Failed(f"condor_urlfetch: {describe(error, 'cannot write', path)}", _CANNOT_WRITE) from None


def _kept(path: str) -> bytes:
    if not path:
        raise _Failed("Error: no cache file specified, and could not fetch URL", _NOTHING)
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        text = f"Error: could not read from cache file {path}: {error.strerror}"
        raise _Failed(f"condor_urlfetch: {text}", _NOTHING) from None


def _print(content: bytes) -> int:
    sys.stdout.flush()
    with os.fdopen(os.dup(1), "wb") as out:
        out.write(content)
    return 0
