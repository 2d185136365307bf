"""``-finished``: was all right with a DAG that has run? Its nodes log, .dagman.out and rescue file tell."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from condor_py.client.dag.files import DagFiles
from condor_py.core.dag.finished import Ending, audit
from condor_py.daemons.dagman.nodeslog import NodesLog
from condor_py.lang.config.builders.dagman import dagman
from condor_py.lang.config.settings import Config
from condor_py.lang.dag.build import Builder
from condor_py.lang.dag.graph import Dag
from condor_py.lang.dag.messages import DagError
from condor_py.model.errors import CondorError, StoreError

_START, _END = "(CONDOR_DAGMAN) STARTING UP", re.compile(r"EXITING WITH STATUS (\d+)")
_USING, _WRITING = re.compile(r"USING RESCUE DAG (.+)"), re.compile(r"Writing Rescue DAG to (.+)\.\.\.")
_RECOVERY, _LOG = "Running in RECOVERY mode", re.compile(r"Default node log file is: <(.*)>")
_DONE = "DONE "
#: Exit code of a condor_dagman that wants to be started again.
_RESTART = 3


class _Life:
    """What .dagman.out tells of the last life of a DAG; a condor_dagman that recovers goes on with the life before."""

    def __init__(self, text: str) -> None:
        self.code: int | None = None
        self.using = self.written = self.log = ""
        for part in text.split(_START)[1:]:
            if _RECOVERY not in part:
                self.using, self.written = _last(_USING, part), ""
            self.written = _last(_WRITING, part) or self.written
            self.log = _last(_LOG, part) or self.log
            code = _last(_END, part)
            self.code = int(code) if code else None


def _last(pattern: re.Pattern[str], text: str) -> str:
    found: list[str] = pattern.findall(text)
    return found[-1] if found else ""


def problems_of(files: Sequence[str], config: Config) -> list[str]:
    """What was not right with the DAG of these files. Raises CondorError when its files cannot be read."""
    primary = files[0]
    life = _Life(_text(f"{primary}.dagman.out"))
    settings = dagman(config)
    builder = Builder(DagFiles(), os.getcwd(), settings.language, several=len(files) > 1)
    try:
        for number, file in enumerate(files):
            builder.add(file, number)
        dag = builder.finish()
    except DagError as error:
        raise CondorError(str(error)) from None
    ending = Ending(
        None if life.code == _RESTART and not _ends_with_3(dag) else life.code,
        _done_in(life.written) if life.written else None,
        _done_in(life.using) if life.using else frozenset(),
    )
    log = life.log or f"{primary}.nodes.log"
    if not os.path.exists(log):
        raise CondorError(f"{log} is not there")
    try:
        return audit(dag, ending, [event for event, _ in NodesLog(log).read()], settings.node_failure_tolerance)
    except StoreError as error:
        raise CondorError(str(error)) from None


def _ends_with_3(dag: Dag) -> bool:
    """Whether 3 may be the end of the DAG, and not a wish to be started again."""
    return any((abort.status if abort.returns is None else abort.returns) == _RESTART for abort in dag.aborts.values())


def _done_in(file: str) -> frozenset[str]:
    """The nodes that a rescue file calls done."""
    lines = _text(file).split("\n")
    return frozenset(line.removeprefix(_DONE).strip() for line in lines if line.startswith(_DONE))


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError as error:
        raise CondorError(f"Cannot read {path}: {error.strerror}") from None
