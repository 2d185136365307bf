"""What completion needs of the configuration, remembered: reading the configuration takes longer than all the rest.

The memory is a file in the user's cache directory. It counts as long as the environment and every file that the
configuration came from are what they were.
"""

from __future__ import annotations

import os

#: First line of the file: other forms are not read.
_FORM = "condor_complete 2"
#: Where a configuration may be that is not there yet.
_USUAL = ("/etc/condor/condor_config", "/usr/local/etc/condor_config")


class Places:
    """Where the queue and the published ads are, the schedd's socket, accounting groups, and knobs that are set."""

    def __init__(self, spool: str, schedd: str, groups: list[str], knobs: list[str]) -> None:
        self.spool = spool
        self.schedd = schedd
        self.groups = groups
        self.knobs = knobs


def places() -> Places:
    """Those of the pool that the environment names. CondorError when the configuration is wrong."""
    path = _memory()
    key = _environment()
    return _remembered(path, key) or _read_anew(path, key)


def _memory() -> str:
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return f"{cache}/condor_py/complete"


def _environment() -> str:
    """What of the environment the configuration depends on."""
    names = sorted(name for name in os.environ if name.upper().startswith("_CONDOR_"))
    named = [(name, os.environ.get(name)) for name in (*names, "CONDOR_CONFIG", "HOME", "USER")]
    return repr((os.geteuid(), named))


def _stamp(path: str) -> str:
    """What tells whether a file is what it was."""
    try:
        found = os.stat(path)
    except OSError:
        return "-"
    return f"{found.st_mtime_ns} {found.st_size} {found.st_ino}"


def _remembered(path: str, key: str) -> Places | None:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            if os.fstat(file.fileno()).st_uid != os.geteuid():
                return None
            form, known, spool, schedd, groups, knobs, *files = file.read().split("\n")
    except (OSError, ValueError):
        return None
    if form != _FORM or known != key:
        return None
    for line in files:
        stamp, _, name = line.partition("\t")
        if _stamp(name) != stamp:
            return None
    return Places(spool, schedd, groups.split(), knobs.split())


def _read_anew(path: str, key: str) -> Places:
    from condor_py.lang.config import load
    from condor_py.lang.config.builders.paths import paths

    config = load(os.environ)
    knobs = sorted(macro.name for macro in config.macros)
    where = paths(config)
    found = Places(where.spool, where.socket("schedd"), config.list("GROUP_NAMES"), knobs)
    files = [*_USUAL, os.path.expanduser("~/.condor/user_config"), *config.files]
    for knob in ("LOCAL_CONFIG_DIR", "LOCAL_CONFIG_FILE"):
        files += config.list(knob)
    if not any(name.rstrip().endswith("|") for name in files) and "\n" not in "".join(
        [*files, found.spool, found.schedd]
    ):
        stamps = [f"{_stamp(name)}\t{name}" for name in dict.fromkeys(files)]
        _remember(path, [_FORM, key, found.spool, found.schedd, " ".join(found.groups), " ".join(found.knobs), *stamps])
    return found


def _remember(path: str, lines: list[str]) -> None:
    """Writes the memory; where that is not possible the configuration is read the next time, too."""
    mine = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        with open(mine, "x", encoding="utf-8", errors="surrogateescape") as file:
            file.write("\n".join(lines))
        os.replace(mine, path)
    except OSError:
        return
