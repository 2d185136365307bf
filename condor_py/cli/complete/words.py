"""Candidates for a word on the command line, by kind: jobs, users, slots, groups, knobs, attributes, submit commands.

Nothing here imports more than Python has loaded anyway, unless there is no other way.
"""

from __future__ import annotations

import os
import sys

#: Names that do not change, ``KIND NAME`` a line; written by condor_py.cli.generate.
NAMES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "names.txt")
KINDS = (
    "jobs", "mine", "clusters", "users", "submitters", "slots", "groups", "knobs", "attributes", "machine-attributes",
    "constraint", "machine-constraint", "submit", "jobs+users", "mine+users",
)  # fmt: skip


#: The kind of nouns of the command htcondor; behind slashes follow a noun and a verb.
_NOUNS = "htcondor"


def run(argv: list[str]) -> int:
    """Print the candidates for the word ``argv[1]`` of kind ``argv[0]``, with a tab and a remark where there is one.

    Whatever fails offers nothing: a message would land in the middle of what the user is typing. A kind that does not
    exist is an error in the call, and is reported: completions discard such reports.
    """
    kind, word = argv[0], argv[1] if len(argv) > 1 else ""
    if kind not in KINDS and not kind.startswith(_NOUNS):
        sys.stderr.write(f"condor_complete: there is no kind {kind[:40]!r}; say one of {', '.join(KINDS)}\n")
        return 1
    try:
        sys.stdout.write("".join(f"{line}\n" for line in candidates(kind, word)))
        sys.stdout.flush()
    except Exception:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    return 0


def candidates(kind: str, word: str) -> list[str]:
    """The candidates; those of users begin with ``word`` as it is, names of attributes and knobs in any case."""
    if "+" in kind:
        jobs, people = kind.split("+")
        kind = jobs if not word or word[0].isdigit() else people
    if kind in ("jobs", "mine", "clusters"):
        return _jobs(places(), kind, word)
    if kind in ("users", "submitters", "groups"):
        return _begin(word, _people(places(), kind))
    if kind == "slots":
        return _begin(word, _slots(places().spool))
    if kind in ("constraint", "machine-constraint"):
        return _in_expression(word, "attributes" if kind == "constraint" else "machine-attributes")
    if kind == "submit":
        return _submit(word)
    if kind.startswith(_NOUNS):
        return _of_verb(_names(kind), word)
    names = _names(kind)
    if kind == "knobs":
        names = sorted({*names, *places().knobs}, key=str.lower)
    return _alike(word, names)


def _begin(word: str, found: list[str]) -> list[str]:
    return [name for name in found if name.startswith(word)]


def _of_verb(found: list[str], word: str) -> list[str]:
    """Return what follows ``htcondor``, a noun or a verb: options when the word begins so, else words."""
    is_option = word.startswith("-")
    kinds = [name[1:] for name in found if name.startswith("=")]
    if kinds and not is_option:
        return candidates(kinds[0], word)
    return [name for name in _begin(word, found) if name.startswith("-") == is_option]


def _alike(word: str, found: list[str]) -> list[str]:
    low = word.lower()
    return [name for name in found if name.lower().startswith(low)]


def _names(kind: str) -> list[str]:
    mark = kind + " "
    with open(NAMES, encoding="utf-8") as file:
        return [line[len(mark) :] for line in file.read().splitlines() if line.startswith(mark)]


def _in_expression(word: str, kind: str) -> list[str]:
    """Attributes for the last name of an expression that is being written."""
    at = len(word)
    while at and (word[at - 1].isalnum() or word[at - 1] == "_"):
        at -= 1
    before, begun = word[:at], word[at:]
    if word.count('"') % 2 or begun[:1].isdigit() or (before and not begun):
        return []
    return [before + name for name in _alike(begun, _names(kind))]


def _submit(word: str) -> list[str]:
    """Commands of the submit language, with their ``=``; accounting groups behind theirs."""
    name, equals, begun = word.partition("=")
    if equals:
        groups = _people(places(), "groups") if name.strip().lower() == "accounting_group" else []
        return [f"{name}={group}" for group in _begin(begun, groups)]
    return [f"{command}=" for command in _alike(word, _names("submit"))] if word else []


# ---- jobs and people ----------------------------------------------------------------------------------------


def _account() -> str:
    import pwd

    return pwd.getpwuid(os.geteuid()).pw_name


def _log(found: Places) -> bytes:
    """The log of the queue."""
    try:
        with open(f"{found.spool}/job_queue.log", "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""
    except PermissionError:
        return _asked(found.schedd)


def _jobs(found: Places, kind: str, word: str) -> list[str]:
    """Clusters with a remark, one's own first, the newest first; behind a dot the jobs of the cluster."""
    log = _log(found)
    number, dot, _ = word.partition(".")
    if dot and kind != "clusters":
        if not number.isdigit():
            return []
        return _begin(word, [f"{number}.{proc}" for proc in procs(log, int(number))])
    me = _account()
    known = clusters(log)
    own = [cluster for cluster in known if cluster.owner == me]
    others = [] if kind == "mine" and os.geteuid() else [cluster for cluster in known if cluster.owner != me]
    shown = [cluster for cluster in (*own, *others) if str(cluster.number).startswith(word)]
    return [f"{cluster.number}\t{_remark(cluster, me)}" for cluster in shown[:MOST]]


def _remark(cluster: Cluster, me: str) -> str:
    said = cluster.program if cluster.owner == me else f"{cluster.program} of {cluster.owner}"
    return "".join(letter if letter.isprintable() else "?" for letter in said)


def _people(found: Places, kind: str) -> list[str]:
    """Accounts that have jobs or are known to the negotiator; submitters with their domain; accounting groups."""
    names = {}
    for ad in _ads(found.spool, "ACCOUNTING"):
        name = ad.get("Name", "")
        if kind == "groups" and ad.get("IsAccountingGroup") == "true":
            names[name] = name != "<none>"
        elif kind != "groups" and ad.get("IsAccountingGroup") != "true":
            names[name if kind == "submitters" else name.partition("@")[0].rpartition(".")[2]] = True
    if kind == "groups":
        names.update((name, True) for name in found.groups)
    elif kind == "users":
        names.update((cluster.owner, True) for cluster in clusters(_log(found)))
    return sorted(name for name, counts in names.items() if name and counts)


def _slots(spool: str) -> list[str]:
    return [ad["Name"] for ad in _ads(spool, "STARTD") if "Name" in ad and ad.get("MyType") in ("Machine", "Slot")]


def _ads(spool: str, kind: str) -> list[dict[str, str]]:
    """Published ads as plain text: numbers and strings, nothing is evaluated."""
    try:
        with open(f"{spool}/ads/{kind}.ads", encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return []
    found = []
    for block in text.split("\n\n"):
        lines = (line.partition(" = ") for line in block.splitlines())
        found.append({name: value.strip('"') for name, equals, value in lines if equals})
    return found


# ---- what only the schedd may tell --------------------------------------------------------------------------


def _asked(schedd: str) -> bytes:
    """The log of the queue as the schedd shows it to those who may not read the file. CondorError."""
    from condor_py.cli.startup import lighten

    lighten()
    from condor_py.client import wire
    from condor_py.model.messages.queue import Query

    with wire.Client(schedd, timeout=2.0) as client:
        client.ask(Query())
        with open(f"/proc/self/fd/{client.files[0]}", "rb") as file:
            return file.read()


#: First line of the file: other forms are not read.
_FORM = "condor_complete 2"
#: Places where a configuration may be made.
_USUAL = ("/etc/condor/condor_config", "/usr/local/etc/condor_config")


class Places:
    """Paths of the queue and the published ads, the schedd's socket, accounting groups, and knobs that are set."""

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
    # platformdirs says the same, but its import takes three times as long as the start of Python, for each word
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return f"{cache}/condor_py/complete"


def _environment() -> str:
    """Return the part of the environment that the configuration depends on."""
    names = sorted(name for name in os.environ if name.upper().startswith("_CONDOR_"))
    named = [(name, os.environ.get(name)) for name in (*names, "CONDOR_CONFIG", "HOME", "USER")]
    return repr((os.geteuid(), named))


def _stamp(path: str) -> str:
    """Return a text that differs once the file has changed: time, size and inode; "-" for one that cannot be read."""
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


#: An attribute of a cluster stands in so many bytes after the cluster's first line, or is not looked for.
_NEAR = 1 << 16
#: More jobs of one cluster than a user chooses from.
MOST = 500


class Cluster:
    """A cluster: its number, whose it is, and its program."""

    def __init__(self, number: int, owner: str, program: str) -> None:
        self.number = number
        self.owner = owner
        self.program = program


def clusters(log: bytes) -> list[Cluster]:
    """The clusters in a log, the newest first."""
    gone = {key for key, _ in _keys(log, b"\n102 0")}
    found = {}
    for key, place in _keys(log, b"\n101 0"):
        number = key[:-3]
        if key.endswith(b".-1") and number.isdigit() and key not in gone:
            owner, program = (_text(log, place, key, name) for name in (b"Owner", b"Cmd"))
            found[int(number)] = Cluster(int(number), owner, program.rpartition("/")[2])
    return sorted(found.values(), key=lambda cluster: -cluster.number)


def procs(log: bytes, cluster: int) -> list[int]:
    """The procs of a cluster, ascending; at most ``MOST``."""
    gone = {key for key, _ in _keys(log, b"\n102 %d." % cluster)}
    found = []
    for key, _ in _keys(log, b"\n101 %d." % cluster):
        if key.isdigit() and key not in gone:
            found.append(int(key))
            if len(found) == MOST:
                break
    return sorted(found)


def _keys(log: bytes, begin: bytes):  # type: ignore[no-untyped-def]  # a generator; its type would cost an import
    """Yield the text between ``begin`` and the next space or line end, and the offset of ``begin``."""
    place = log.find(begin)
    while place >= 0:
        start = place + len(begin)
        end = log.find(b"\n", start)
        if end < 0:
            return
        yield log[start:end].split(b" ", 1)[0], place
        place = log.find(begin, end)


def _text(log: bytes, place: int, key: bytes, name: bytes) -> str:
    """The text of a string attribute of a cluster whose first line is at ``place``; "" when it is not near."""
    begin = b"\n103 0" + key + b" " + name + b' "'
    start = log.find(begin, place, place + _NEAR)
    if start < 0:
        return ""
    start += len(begin)
    return log[start : log.find(b"\n", start)].rstrip(b'"').decode("utf-8", "replace")
