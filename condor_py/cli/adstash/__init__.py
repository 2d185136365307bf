"""condor_adstash: the histories of jobs, their runs and transfers for a search engine, or as files of JSON."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from condor_py.cli.adstash import documents, settings
from condor_py.cli.adstash.settings import LEVELS
from condor_py.cli.adstash.targets import JsonFiles, Mappings, Nowhere, SearchEngine, Server, Target
from condor_py.cli.common import refuse_words
from condor_py.cli.options import EXACT, Opt, ToolSpec, UsageError, parse
from condor_py.model.copies import changed
from condor_py.model.errors import CondorError, StoreError
from condor_py.store.fs import RealFs, describe, replace_file

if TYPE_CHECKING:
    from condor_py.bindings.enums import HistorySrc
    from condor_py.client.pool import Pool
    from condor_py.daemons.common.logfile import DaemonLog
    from condor_py.lang.classad import ClassAd

_SPEC = ToolSpec(
    name="condor_adstash",
    usage="[--standalone] [--process_name NAME] [--interface INTERFACE] [sources] [options]",
    summary="Send the histories of jobs, of their runs and of their transfers to a search engine or to files of JSON.",
    description=(
        "Run by hand it wants --standalone, reads the histories once and ends. With ADSTASH in DAEMON_LIST the "
        "condor_master runs it, and it reads them every ADSTASH_SAMPLE_INTERVAL seconds; SIGHUP makes it read its "
        "configuration again. Each setting comes from the knob ADSTASH_<NAME>, from the environment variable of that "
        "name, or from the command line, which counts most; --help shows what is in force. A checkpoint file says "
        "what has been sent, so that nothing is sent twice: it is written when everything has been stored. Documents "
        "and index are laid out as HTCondor's. Interface jsonfile writes one document a line."
    ),
    options=(
        Opt("standalone", EXACT, help="read the histories once"),
        Opt("process_name", EXACT, "NAME", "use knobs and variables that begin with NAME_"),
        *settings.options(),
        Opt("read_only", EXACT, help="the same as --interface null", hidden=True),
        Opt("dry_run", EXACT, help="the same as --interface null", hidden=True),
        Opt("json_local", EXACT, help="the same as --interface jsonfile", hidden=True),
        Opt("help", EXACT, help="this text, with the values in force"),
        Opt("h", EXACT, same_as="help"),
    ),
    examples=(
        ("condor_adstash --standalone --schedd_history --interface jsonfile --json_dir .", "the history as JSON"),
        ("condor_adstash --standalone --schedd_history --interface opensearch --se_host localhost", "send it, once"),
        ("condor_config_val -set 'use FEATURE : ADSTASH'", "let the master run it"),
    ),
    exit_status="0, 1 when nothing could be read or stored, 2 when the command line is wrong.",
    unknown="condor_adstash: error: unrecognized arguments: {arg}",
    missing="condor_adstash: error: argument --{name}: expected one argument",
    see_also=("condor_history", "condor_metrics"),
)
SPECS = (_SPEC,)
_USAGE_EXIT = 2
_SHORTEST_SLEEP = 20.0
#: Older ways to ask for an interface.
_OLDER = {"read_only": "null", "dry_run": "null", "json_local": "jsonfile"}


class Source(NamedTuple):
    """One history: the setting that asks for it, its name in documents, the settings about it, what its checkpoint is
    filed under, and the attributes that a checkpoint has."""

    setting: str
    daemon: str
    checkpoint: str
    attributes: tuple[str, ...]

    @property
    def limits(self) -> str:
        """The stem of the names of the settings about it."""
        return f"{self.daemon}_history"


_SOURCES = (
    Source("schedd_history", "schedd", "", ("ClusterId", "ProcId")),
    Source("startd_history", "startd", "", ("GlobalJobId", "EnteredCurrentStatus")),
    Source("schedd_job_epoch_history", "schedd", "Job Epoch ", ("ClusterId", "ProcId", "EnteredCurrentStatus")),
    Source(
        "schedd_transfer_epoch_history",
        "schedd",
        "Transfer Epoch ",
        ("EpochWriteDate", "ClusterId", "ProcId", "NumShadowStarts"),
    ),
)


def main(argv: list[str]) -> int:
    """Run condor_adstash."""
    try:
        return _main(_split(argv))
    except UsageError as error:
        error.exit_code = _USAGE_EXIT
        raise


def _split(argv: list[str]) -> list[str]:
    """Take ``--name=value`` and unique beginnings of names, as HTCondor's does."""
    names = [option.name for option in _SPEC.options]
    words: list[str] = []
    for argument in argv:
        name, equals, value = argument.partition("=")
        if not name.startswith("--"):
            words.append(argument)
            continue
        begun = [each for each in names if each.startswith(name[2:])]
        full = f"--{begun[0]}" if len(begun) == 1 and name[2:] not in names else name
        words += [full, value] if equals else [full]
    return words


def _main(argv: list[str]) -> int:
    args = parse(_SPEC, argv)
    refuse_words(args)
    from condor_py.client.pool import open_pool

    def configured() -> tuple[Pool, dict[str, Any]]:
        pool = open_pool(args.text("process_name") or settings.USUAL_NAME)
        found = settings.read(args, pool.config, os.environ)
        older = args.last(*_OLDER)
        if older is not None:
            found["interface"] = _OLDER[older.name]
        return pool, found

    pool, wanted = configured()
    if args.has("help"):
        from condor_py.cli.command import help_text

        own = [option for option in _SPEC.options if option.name in ("standalone", "process_name", "help", "h")]
        sys.stdout.write(help_text(changed(_SPEC, options=(*own, *settings.options(wanted)))))
        return 0
    log = _Log(pool, wanted)
    if wanted["standalone"] or wanted["ad_file"]:
        return 0 if _round(pool, wanted, log) else 1
    log.banner()
    waiter = _Waiter()
    while True:
        begun = time.monotonic()
        try:
            _round(pool, wanted, log)
            left = wanted["sample_interval"] - (time.monotonic() - begun)
            reason = waiter.wait(max(left, _SHORTEST_SLEEP))
        except KeyboardInterrupt:
            reason = waiter.take()
        if reason == "SIGHUP":
            log.tell("WARNING", "Got signal SIGHUP: Refreshing config and running next loop.")
            try:
                pool, wanted = configured()
                log = _Log(pool, wanted)
            except CondorError as error:
                log.tell("ERROR", f"the old configuration stays in force: {error}")
        elif reason:
            log.tell("WARNING", f"{reason}: Exiting.")
            return 0


class _Log:
    """The log file, and standard output if that is a terminal."""

    def __init__(self, pool: Pool, wanted: Mapping[str, Any]) -> None:
        from condor_py.daemons.common.logfile import DaemonLog
        from condor_py.lang.config.builders.daemon import log

        path = os.path.abspath(wanted["log_file"])
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        except OSError as error:
            raise StoreError(f"condor_adstash: {describe(error, 'cannot make its directory', path)}") from None
        lines = changed(log(pool.config, settings.USUAL_NAME), path=path)
        self._file: DaemonLog = DaemonLog(lines, "adstash")
        self._least = LEVELS.index(wanted["log_level"])

    def banner(self) -> None:
        """Write that the daemon starts."""
        self._file.write_banner("adstash")

    def tell(self, level: str, text: str) -> None:
        """Write a line if its level is high enough. Standard error gets errors, too."""
        if LEVELS.index(level) < self._least:
            return
        self._file.write(text)
        if sys.stdout.isatty():
            print(text)
        elif level == "ERROR":
            sys.stderr.write(f"condor_adstash: {text}\n")


class _Waiter:
    """The pauses of a daemon: signals end them, and the end of the condor_master does."""

    def __init__(self) -> None:
        from condor_py.daemons.common.service import PARENT_FD

        self._got = ""
        self._reading, writing = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, self._note)
        parent = os.environ.pop(PARENT_FD, "")
        self._parent = int(parent) if parent.isdecimal() else None

    def _note(self, number: int, frame: object) -> None:
        if number == signal.SIGHUP:
            self._got = self._got or "SIGHUP"
            return
        self._got = f"Got signal {signal.Signals(number).name}"
        raise KeyboardInterrupt

    def wait(self, seconds: float) -> str:
        """Return why the pause ended; "" when it is over. KeyboardInterrupt: a signal ends the daemon."""
        watched = [self._reading, *([self._parent] if self._parent is not None else [])]
        ready = [] if self._got else select.select(watched, [], [], seconds)[0]
        if self._parent in ready:
            return "The condor_master is gone"
        if self._reading in ready:
            os.read(self._reading, 512)
        return self.take()

    def take(self) -> str:
        """Return what a signal has asked for, and forget it."""
        got, self._got = self._got, ""
        return got


# -- one round --------------------------------------------------------------------------------------------------------


def _round(pool: Pool, wanted: Mapping[str, Any], log: _Log) -> bool:
    """Send what is new in every history that is asked for; False if one of them could not be sent."""
    begun = time.monotonic()
    target = _target(wanted, log)
    if wanted["ad_file"]:
        done = _send_file(wanted["ad_file"], target, wanted, log)
    else:
        done = True
        for source in _SOURCES:
            if wanted[source.setting] and _is_here(pool, source, wanted, log):
                done = _send_history(pool, source, target, wanted, log) and done
    log.tell("WARNING", f"Total processing time for this loop: {(time.monotonic() - begun) / 60:.2f} mins")
    return done


def _target(wanted: Mapping[str, Any], log: _Log) -> Target:
    kind = wanted["interface"]
    if kind == "null":
        return Nowhere()
    directory = wanted["json_dir"] if kind == "jsonfile" else os.path.dirname(os.path.abspath(wanted["log_file"]))
    shown = os.path.join(directory, f"condor_adstash_{kind}_last_mappings.json") if wanted["se_log_mappings"] else ""
    if kind == "jsonfile":
        return JsonFiles(directory, Mappings(shown))
    server = Server(
        wanted["se_host"],
        wanted["se_url_prefix"],
        wanted["se_username"],
        wanted["se_password"],
        wanted["se_use_https"],
        wanted["se_ca_certs"],
        max(1, wanted["se_timeout"]),
    )
    return SearchEngine(server, wanted["se_index_name"], Mappings(shown), log.tell)


def _name_of(pool: Pool, source: Source) -> str:
    return pool.schedd_name if source.daemon == "schedd" else pool.settings.host


def _is_here(pool: Pool, source: Source, wanted: Mapping[str, Any], log: _Log) -> bool:
    """Whether the lists of pools and daemons have this machine's; others are named in the log."""
    host = pool.settings.host.lower()
    pools = [word.strip().lower().partition(":")[0] for word in wanted["collectors"].split(",") if word.strip()]
    ours = {host, host.partition(".")[0], "localhost", "127.0.0.1", "::1"}
    ours |= {pool.config.string(knob).lower().partition(":")[0] for knob in ("CONDOR_HOST", "COLLECTOR_HOST")}
    for word in pools:
        if word not in ours:
            log.tell("WARNING", f"{word} is another pool, which cannot be read from here")
    listed = [word.strip().lower() for word in wanted[f"{source.daemon}s"].split(",") if word.strip()]
    named = not listed or listed == ["*"] or _name_of(pool, source).lower() in listed
    here = named and (not pools or any(word in ours for word in pools))
    log.tell("WARNING", f"There are {int(here)} {source.daemon}s to query.")
    return here


def _send_history(pool: Pool, source: Source, target: Target, wanted: Mapping[str, Any], log: _Log) -> bool:
    name = _name_of(pool, source)
    try:
        ads = _new_ads(pool, source, wanted, log)
        make = documents.of_transfer if "transfer" in source.setting else documents.of_job
        fields = documents.of_transfers() if "transfer" in source.setting else documents.of_jobs()
        metadata = {**_metadata(pool, source.setting), **_about_host(pool, source)}
        stored = 0
        for bunch in _bunches(_documents(ads, make, log, schedd=name), wanted):
            stored += target.post(bunch, metadata, fields)
        log.tell("WARNING", f"{source.daemon.capitalize()} {name} {source.setting}: response count: {stored}")
        if ads:
            _remember(wanted["checkpoint_file"], f"{source.checkpoint}{name}", _mark(ads[0], source))
    except CondorError as error:
        log.tell("ERROR", f"Could not push ads from {name}: {error}")
        return False
    return True


def _new_ads(pool: Pool, source: Source, wanted: Mapping[str, Any], log: _Log) -> list[ClassAd]:
    """The ads since the checkpoint, the newest first. CondorError."""
    from condor_py.bindings import histories
    from condor_py.bindings.errors import HTCondorException

    mark = _checkpoint(wanted["checkpoint_file"]).get(f"{source.checkpoint}{_name_of(pool, source)}")
    since = _since(mark, source) if isinstance(mark, dict) else None
    log.tell("INFO", f"Getting {source.setting} since {since}" if since else f"Getting all of {source.setting}")
    only = wanted[f"{source.limits}_projection"].replace(",", " ").split() if not source.checkpoint else []
    most = wanted[f"{source.limits}_max_ads"]
    kinds = histories.kinds_of("TRANSFER") if "transfer" in source.setting else frozenset[str]()
    names = [*only, *documents.REQUIRED] if only else []
    try:
        return histories.walk(pool, _kind(source), None, names, most if most > 0 else -1, since, kinds)
    except HTCondorException as error:
        raise CondorError(str(error)) from None


def _kind(source: Source) -> HistorySrc:
    from condor_py.bindings.enums import HistorySrc

    if source.checkpoint:
        return HistorySrc.JobEpoch
    return HistorySrc.ScheddJob if source.daemon == "schedd" else HistorySrc.StartdJob


def _documents(ads: Iterable[ClassAd], make: Any, log: _Log, schedd: str = "") -> Iterator[documents.Document]:
    launched = int(time.time())
    for ad in ads:
        found = list(make(ad, launched))
        if not found:
            log.tell("WARNING", "an ad without GlobalJobId is left out")
        for name, document in found:
            if schedd and make is documents.of_transfer:
                document["ScheddName"] = schedd
                name = f"{schedd}#{name.partition('#')[2]}"
            yield name, document


def _bunches(found: Iterable[documents.Document], wanted: Mapping[str, Any]) -> Iterator[list[documents.Document]]:
    """Documents in lists of ADSTASH_SE_BUNCH_SIZE; of a file of JSON the same, so that memory stays bounded."""
    size = wanted["se_bunch_size"] if wanted["se_bunch_size"] > 0 else 250
    bunch: list[documents.Document] = []
    for document in found:
        bunch.append(document)
        if len(bunch) >= size:
            yield bunch
            bunch = []
    if bunch:
        yield bunch


def _send_file(path: str, target: Target, wanted: Mapping[str, Any], log: _Log) -> bool:
    """Send the ads of a file (--ad_file)."""
    from condor_py.client.pool import open_pool

    for setting in ("schedd_history", "startd_history"):
        if wanted[setting]:
            log.tell("WARNING", f"{setting} is left out since an ad file was given.")
    try:
        stored = 0
        for bunch in _bunches(_documents(_ads_of(path), documents.of_job, log), wanted):
            stored += target.post(bunch, _metadata(open_pool(), "ad_file"), documents.of_jobs())
    except CondorError as error:
        log.tell("ERROR", f"Could not push ads from {path}: {error}")
        return False
    log.tell("WARNING", f"{path}: response count: {stored}")
    return True


def _ads_of(path: str) -> Iterator[ClassAd]:
    """The ads of a file: in the long form, each up to an empty line or the banner of a history."""
    from condor_py.cli.adfile import parse_ads

    lines: list[str] = []
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                if line.strip() and not line.startswith("***"):
                    lines.append(line)
                    continue
                yield from parse_ads("".join(lines), path, "long")
                lines.clear()
    except OSError as error:
        raise CondorError(describe(error, "cannot read", path)) from None
    yield from parse_ads("".join(lines), path, "long")


def _metadata(pool: Pool, source: str) -> dict[str, Any]:
    """Return the part of every document about the program that has sent it."""
    import pwd
    import socket

    from condor_py.model.version import CONDOR_VERSION

    try:
        user = pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        user = str(os.geteuid())
    return {
        "condor_adstash_hostname": socket.gethostname(),
        "condor_adstash_username": user,
        "condor_adstash_runtime": int(time.time()),
        "condor_adstash_version": CONDOR_VERSION,
        "condor_adstash_platform": pool.config.string("CondorPlatform"),
        "condor_adstash_source": source,
    }


def _about_host(pool: Pool, source: Source) -> dict[str, Any]:
    from condor_py.model.version import CONDOR_VERSION

    return {
        "condor_history_runtime": int(time.time()),
        "condor_history_host_version": CONDOR_VERSION,
        "condor_history_host_platform": pool.config.string("CondorPlatform"),
        "condor_history_host_machine": pool.settings.host,
        "condor_history_host_name": _name_of(pool, source),
    }


# -- checkpoints ------------------------------------------------------------------------------------------------------


def _checkpoint(path: str) -> dict[str, Any]:
    """The content of the file; empty when it does not exist. CondorError for one that cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise CondorError(describe(error, "cannot read the checkpoint file", path)) from None
    except ValueError:
        raise CondorError(f"the checkpoint file {path} is damaged: repair or remove it") from None
    return found if isinstance(found, dict) else {}


def _remember(path: str, name: str, mark: dict[str, Any]) -> None:
    """Note how far a history has been sent; what other histories have noted under that name stays. CondorError."""
    content = _checkpoint(path)
    before = content.get(name)
    content[name] = {**(before if isinstance(before, dict) else {}), **mark}
    try:
        replace_file(RealFs(), path, (json.dumps(content, indent=2) + "\n").encode(), 0o644, durable=True)
    except OSError as error:
        raise CondorError(describe(error, "cannot write the checkpoint file", path)) from None


def _mark(ad: ClassAd, source: Source) -> dict[str, Any]:
    values = {name: ad.eval(name) for name in source.attributes if ad.has(name)}
    return {name: value for name, value in values.items() if type(value) in (int, str)}


def _since(mark: dict[str, Any], source: Source) -> str | None:
    """The expression that is true of the ad that was sent last; None if the checkpoint has another's."""
    found = [(name, mark[name]) for name in source.attributes if type(mark.get(name)) in (int, str)]
    if len(found) < len(source.attributes) - ("transfer" in source.setting):
        return None
    return " && ".join(f"({name} == {json.dumps(value)})" for name, value in found)
