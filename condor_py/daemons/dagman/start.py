"""Before a DAG runs: options, settings, the log, the .dag files with a rescue or save point file, the lock."""

from __future__ import annotations

import fcntl
import os
import posixpath
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from condor_py.client.dag.files import DagFiles
from condor_py.client.dag.prepare import rename_rescues
from condor_py.client.pool import Pool, open_pool
from condor_py.core.dag import rescue
from condor_py.core.dag.states import EXIT_ERROR, EXIT_RESTART, NodeState
from condor_py.daemons.dagman.fulldisk import Patience
from condor_py.daemons.dagman.outlog import OutLog
from condor_py.daemons.dagman.quitting import Quit, warn
from condor_py.lang.config.builders.dagman import caps, dagman
from condor_py.lang.config.loader import load
from condor_py.lang.dag.build import Builder
from condor_py.lang.dag.cycles import cycle_text, walk
from condor_py.lang.dag.graph import Dag
from condor_py.lang.dag.messages import NORMAL, VERBOSE, DagError, Note
from condor_py.lang.dag.options import DagmanOptions
from condor_py.model.errors import CondorError
from condor_py.model.settings.dagman import DagmanSettings, ThrottleSettings
from condor_py.store.fs import RealFs, is_full, replace_file

#: Seconds in which another condor_dagman of the same job may come to its end.
_PATIENCE = 5.0
_WAVES = "~" * 54


@dataclass(slots=True)
class Start:
    """The facts known before the DAG runs. ``caps`` are the limits that the administrator has set."""

    pool: Pool
    settings: DagmanSettings
    caps: ThrottleSettings
    options: DagmanOptions
    log: OutLog
    patience: Patience
    submit_dag: Callable[[list[str]], int]
    rescue_number: int = 0

    @property
    def primary(self) -> str:
        """The first .dag file, after which the files are named."""
        return self.options.primary

    def find_rescue(self) -> tuple[str, str]:
        """Return the rescue file to continue from and a line about it; "" for none. Raises Quit."""
        options, log, most = self.options, self.log, self.settings.max_rescue_num
        primary, multi = options.primary, options.is_multi
        name, number = options.texts["RescueFile"], options.numbers["DoRescueFrom"]
        try:
            if name:
                self.rescue_number = rescue.rescue_number(name, primary, multi)
                rename_rescues(primary, multi, self.rescue_number, most, log.say)
                options.numbers["DoRescueFrom"] = self.rescue_number
                return name, "Rescue DAG file specified"
            if number > 0:
                self.rescue_number = number
                rename_rescues(primary, multi, number, most, log.say)
                return rescue.rescue_name(primary, multi, number), f"Rescue DAG number {number} specified"
        except CondorError as error:
            log.loud(str(error))
            raise Quit(EXIT_ERROR) from None
        if options.numbers["AutoRescue"]:
            last, said = rescue.last_rescue(primary, multi, most, os.path.exists)
            for line in said:
                log.say(line)
            if last:
                self.rescue_number = last
                return rescue.rescue_name(primary, multi, last), f"Found rescue DAG number {last}"
        return "", ""


def open_log(level: int) -> OutLog:
    """The log that _CONDOR_DAGMAN_LOG names."""
    path = os.environ.get("_CONDOR_DAGMAN_LOG", "") or "default.dagman.out"
    return OutLog(os.path.join(os.getcwd(), path), level)


def configured() -> tuple[Pool, DagmanSettings, ThrottleSettings]:
    """The pool with the configuration of this DAG, its settings, and the limits that the administrator has set.

    Raises CondorError.
    """
    pool = open_pool("DAGMAN")
    limits = caps(pool.config)
    own = dagman(pool.config).config_file
    if own:
        if not os.access(own, os.R_OK):
            raise CondorError(f"ERROR: Can't read DAGMan config file: {own}")
        pool.configure(load(os.environ, subsystem="DAGMAN", last=own))
    return pool, dagman(pool.config), limits


def read_dag(start: Start) -> Dag:
    """The DAG of the command line. Raises Quit; a warning that is an error leaves a rescue file."""
    rescue_file, found_text = start.find_rescue()
    options, log = start.options, start.log
    builder = Builder(
        DagFiles(), os.getcwd(), start.settings.language, options.on("UseDagDir"), several=options.is_multi
    )
    log.say(f"Parsing {len(options.dag_files)} dagfiles", VERBOSE)
    said = 0
    try:
        for number, name in enumerate(options.dag_files):
            builder.add(name, number)
        said = tell(log, builder.log.notes, said)
        log.say("Adjusting edges", VERBOSE)
        _add_progress(start, builder, rescue_file, found_text)
        builder.check_throttles()
        said = tell(log, builder.log.notes, said)
        dag = builder.finish()
        tell(log, builder.log.notes, said)
    except DagError as error:
        tell(log, error.notes, said)
        if error.is_warning:
            _rescue_unread(start, builder)
            log.say("Removing submitted jobs...")
        log.say("Removing any/all submitted HTCondor jobs...")
        raise Quit(EXIT_ERROR) from None
    if start.settings.startup_cycle_detect and walk(dag).is_cyclic:
        log.loud("ERROR: a cycle exists in the dag, please check input")
        log.loud(f"The nodes of a cycle: {cycle_text(dag)}")
        raise Quit(EXIT_ERROR)
    nodes = Counter(dag.categories.values())
    for category, most in sorted(dag.throttles.items()):
        log.test(f"CHECK CATEGORY {category} {nodes[category]} {most}")
    log.say(f"Dag contains {len(dag.order)} total nodes", VERBOSE)
    return dag


def tell(log: OutLog, notes: list[Note], since: int = 0) -> int:
    """Say what there is to say; how many notes that are."""
    for note in notes[since:]:
        log.say(note.text, note.level)
    return len(notes)


def _add_progress(start: Start, builder: Builder, rescue_file: str, found_text: str) -> None:
    log, saved = start.log, start.options.texts["SaveFile"]
    if saved:
        log.loud(f"Loading saved progress from {saved} for DAG.")
        log.loud(_WAVES)
        path = rescue.save_point_name(start.primary, saved, os.getcwd())
        builder.add_partial(path, "Failed to parse save file")
    elif rescue_file:
        files = "files" if start.options.is_multi else "file"
        log.loud(f"{found_text}; running {rescue_file} in combination with normal DAG {files}")
        log.loud(_WAVES)
        log.loud(f"USING RESCUE DAG {rescue_file}")
        builder.add_partial(rescue_file)


def _rescue_unread(start: Start, builder: Builder) -> None:
    start.log.loud("Aborting DAG...")
    if start.settings.max_rescue_num <= 0:
        return
    dag = builder.finish()
    write_rescue(start, dag, bytes([NodeState.READY]) * len(dag), None)


def next_rescue(start: Start) -> str:
    """The name of the rescue file that this run writes."""
    most, multi = start.settings.max_rescue_num, start.options.is_multi
    last, said = rescue.last_rescue(start.primary, multi, most, os.path.exists)
    for line in said:
        start.log.say(line)
    return rescue.rescue_name(start.primary, multi, min(last + 1, most))


def write_rescue(
    start: Start, dag: Dag, states: bytes | bytearray, retries: dict[int, int] | None, name: str = ""
) -> str:
    """Write a rescue file, whole or not at all; its name."""
    name = name or next_rescue(start)
    start.log.say(f"Writing Rescue DAG to {name}...", NORMAL)
    text = rescue.progress_text(rescue.rescue_header(start.primary), dag, int(time.time()), states, retries)
    save(start, name, text)
    return name


def save(start: Start, name: str, text: str, durable: bool = True) -> None:
    """Replace a file; what goes wrong is said. What is to be ``durable`` waits for room on a full disk."""

    def write() -> None:
        replace_file(RealFs(), name, text.encode("utf-8", "surrogateescape"), 0o644, durable=durable)

    try:
        if durable:
            start.patience.write(write)
        else:
            write()
    except OSError as error:
        start.log.loud(f"Could not open {name} for writing: {error.strerror}")


def nodes_log_name(template: str, primary: str, cluster: int, owner: str, node: str) -> str:
    """The nodes log of a DAG as seen from its directory; ``template`` is DAGMAN_DEFAULT_NODE_LOG."""
    for name, value in (
        ("DAG_DIR", posixpath.dirname(primary) or "."),
        ("DAG_FILE", posixpath.basename(primary)),
        ("CLUSTER", str(cluster)),
        ("OWNER", owner or "undef"),
        ("NODE_NAME", node or "undef"),
    ):
        template = template.replace(f"@({name})", value)
    return template


def nodes_log_path(start: Start, cluster: int, owner: str, node: str) -> str:
    """Return the absolute path of the nodes log. Raises Quit for a place where it must not be."""
    path = nodes_log_name(start.settings.default_node_log, start.primary, cluster, owner, node)
    log = start.log
    if "@(" in path:
        warn(start.settings, log.loud, f"Warning: default node log file {path} contains a '@(' character sequence -- "
             "unresolved macro substituion?")  # fmt: skip
    path = path if path.startswith("/") else f"{os.getcwd()}/{path}"
    if path.startswith("/tmp") and start.pool.config.boolean("DAGMAN_AVOID_SLASH_TMP", True):
        warn(start.settings, log.loud, f"Warning: default node log file {path} is in /tmp")
    log.say(f"Default node log file is: <{path}>")
    return path


def lock_path(start: Start) -> str:
    """Return the path of the lock file."""
    return start.options.texts["LockFile"] or f"{start.primary}.lock"


class Lock:
    """The lock file next to the DAG: it is there while condor_dagman runs, and stays when it is to run again.

    It is empty until ``mark``: a run that dies before that has begun nothing, and the nodes log may be that of an older
    run.
    """

    def __init__(self, start: Start, cluster: int) -> None:
        self.path = lock_path(start)
        self._handle = -1
        self._cluster = cluster
        self._take(start)
        self.was_there = os.fstat(self._handle).st_size > 0

    def mark(self) -> None:
        """From now on there is a run to continue. Raises OSError."""
        text = f"{self._cluster}\n".encode()
        os.pwrite(self._handle, text, 0)
        os.ftruncate(self._handle, len(text))
        RealFs().sync(self._handle)

    def _take(self, start: Start) -> None:
        deadline = time.monotonic() + _PATIENCE
        while True:
            self._open(start)
            if self._locked():
                if self._has_its_name():
                    return
            else:
                # empty: perhaps that of an earlier start of this job, which has not come to ``mark``
                mine = os.pread(self._handle, 32, 0).strip() in (b"", str(self._cluster).encode())
                if mine and time.monotonic() < deadline:
                    time.sleep(0.05)
                elif not start.settings.abort_duplicates:
                    return
                else:
                    start.log.loud(
                        "Aborting because it looks like another instance of DAGMan is currently running on this DAG; "
                        f"if that is not the case, delete the lock file ({self.path}) and re-submit the DAG."
                    )
                    raise Quit(EXIT_RESTART if mine else EXIT_ERROR)
            os.close(self._handle)

    def _open(self, start: Start) -> None:
        try:
            self._handle = os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError as error:
            start.log.loud(f"ERROR: Failed to create lock file {self.path} ({error.errno}): {error.strerror}")
            raise Quit(EXIT_RESTART if is_full(error) else EXIT_ERROR) from None

    def _has_its_name(self) -> bool:
        """Return whether the open file is still that of ``path``: a DAG that ended a moment ago has removed it."""
        try:
            return os.path.samestat(os.fstat(self._handle), os.stat(self.path))
        except OSError:
            return False

    def _locked(self) -> bool:
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def remove(self) -> None:
        """The DAG is over."""
        try:
            os.unlink(self.path)
        except OSError:
            return
