"""What must be true of a damaged history, event log, nodes log or rescue file: see ``damage``.

No reader meets anything but what it can tell of (a StoreError, notes of a DAG). Of a history every record of which
nothing was touched is read, before and after the writer has gone on; of logs of events those in front of the damage.
What stands in a rescue file whole counts, or DAGMan says what does not.
"""

from __future__ import annotations

import random
from pathlib import Path

from damage import Case, damaged

from condor_py.client.dag.files import DagFiles
from condor_py.daemons.dagman.nodeslog import NodesLog
from condor_py.lang import events
from condor_py.lang.classad import ClassAd
from condor_py.lang.dag.build import Builder
from condor_py.lang.dag.messages import DagError
from condor_py.model.errors import StoreError
from condor_py.model.settings.dagman import LanguageSettings
from condor_py.store import logreader
from condor_py.store.check import check_spool
from condor_py.store.event_log import EventReader, Form, LogEvent, format_event, last_states, parse
from condor_py.store.history import HistoryWriter, forwards, records_newest_first, tail_ids

NOW = 1_795_300_000


def _is_whole(case: Case, begin: int, end: int) -> bool:
    """Whether no byte of these was touched, nor the one before or behind them."""
    return all(last <= begin - 1 or first >= end + 1 for first, last in case.touched)


# the history


def history(rng: random.Random, place: Path) -> list[str]:
    """One damaged history, to which the schedd then adds a record."""
    path = place / "history"
    history_log(rng, path)
    data = path.read_bytes()
    whole = [(record.offset, record.text) for record in forwards(str(path))]
    case = damaged(rng, data)
    path.write_bytes(case.damaged)
    ends = [begin for begin, _ in whole[1:]] + [len(data)]
    kept = [text for (begin, text), end in zip(whole, ends, strict=True) if _is_whole(case, begin, end)]
    wrong = [f"before the writer went on: {text}" for text in _missing(path, kept)]
    check_spool(str(place))
    tail_ids(str(path))
    writer = HistoryWriter(str(path))
    try:
        writer.append([_job(rng, 99)], NOW + 5)
    except StoreError as error:  # nothing in it tells of a job
        return wrong if "is no history file" in str(error) and not kept else [*wrong, f"nothing can be added: {error}"]
    writer.close()
    aside = "".join(copy.read_text("latin-1") for copy in place.glob("history.damaged*")) if writer.notes else ""
    kept = [text for text in kept if text not in aside]  # where zeros hide where a record begins, all is kept aside
    wrong += [f"after the writer went on: {text}" for text in _missing(path, kept)]
    last = next(iter(records_newest_first(str(path)))).job()
    if last is None or last.cluster != 99:
        wrong.append("the record that was added is not the last one")
    return wrong


def history_log(rng: random.Random, path: Path) -> None:
    """Writes a history as the schedd does."""
    writer = HistoryWriter(str(path))
    writer.append([_job(rng, number) for number in range(1, rng.randrange(3, 12))], NOW)
    writer.close()


def _job(rng: random.Random, number: int) -> ClassAd:
    args = "x" * rng.randrange(60)
    return ClassAd(
        {"ClusterId": number, "ProcId": 0, "Owner": "alice", "GlobalJobId": f"h#{number}.0#1", "Args": f'"{args}"',
         "JobStatus": 4, "CompletionDate": NOW - number, "Cmd": "/bin/sleep"}
    )  # fmt: skip


def _missing(path: Path, kept: list[str]) -> list[str]:
    """Records that are not read, either way. An ad that cannot be read is a StoreError."""
    found: list[str] = []
    for record in forwards(str(path)):
        found.append(record.text)
        record.job()
        record.kind()
        try:
            record.ad()
        except StoreError:
            continue
    back = {record.text for record in records_newest_first(str(path))}
    lost = [text for text in kept if text not in found and not _ends_one(text, found)]
    wrong = [f"a record is not read: {text[:60]!r}" for text in lost]
    return wrong + [f"not read backwards: {text[:60]!r}" for text in found if text not in back]


def _ends_one(text: str, found: list[str]) -> bool:
    """Whether it is the end of a record: the banner before it is damaged."""
    return any(one.endswith(text) for one in found)


# logs of events


def _events(rng: random.Random) -> list[events.JobEvent]:
    made: list[events.JobEvent] = []
    for proc in range(rng.randrange(2, 6)):
        common = {"cluster": 7, "proc": proc, "time": NOW + proc}
        made.append(events.Submit(**common, host="<127.0.0.1:9618>", log_notes=f"DAG Node: node{proc}"))
        made.append(events.Execute(**common, host="<127.0.0.1:9618>"))
        made.append(events.JobHeld(**common, reason="by hand", code=1, subcode=0))
        made.append(events.JobReleased(**common, reason="by hand"))
        made.append(events.Generic(**common, info="something"))
    return made


def _damaged_log(rng: random.Random, path: Path, form: Form) -> tuple[Case, int]:
    """The case, and how many events stand in front of what was touched."""
    texts = [format_event(event, form).encode() for event in _events(rng)]
    case = damaged(rng, b"".join(texts))
    path.write_bytes(case.damaged)
    first, size, whole = min(begin for begin, _ in case.touched), 0, 0
    for text in texts:
        size += len(text)
        whole += size <= first
    return case, whole


def event(rng: random.Random, place: Path) -> list[str]:
    """One damaged event log, in any of its forms."""
    path = place / "log"
    _, whole = _damaged_log(rng, path, rng.choice((Form.TEXT, Form.TEXT, Form.XML, Form.JSON)))
    reader, found = EventReader(str(path)), []
    try:
        while some := reader.read():
            found += some
    except StoreError:
        pass
    wrong = [] if len(found) >= whole else [f"{len(found)} events are read of {whole} in front of the damage"]
    for one in found:
        _read(one)
    logreader.events(path.read_bytes(), path.stat().st_size, [7])
    try:
        last_states(str(path), {7})
    except StoreError as error:
        wrong += [] if str(path) in str(error) else [f"who reads is not told which log is damaged: {error}"]
    return wrong


def _read(one: LogEvent) -> None:
    from condor_py.lang.classad import ClassAdParseError

    try:
        parse(one, NOW)
    except ClassAdParseError:
        return


def nodes(rng: random.Random, place: Path) -> list[str]:
    """One damaged nodes log, from which DAGMan recovers."""
    path = place / "dag.nodes.log"
    _, whole = _damaged_log(rng, path, Form.TEXT)
    log, found = NodesLog(str(path)), 0
    try:
        while some := list(log.read()):
            found += len(some)
    except StoreError:
        pass
    return [] if found >= whole else [f"{found} events are read of {whole} in front of the damage"]


# rescue files


def rescue(rng: random.Random, place: Path) -> list[str]:
    """One damaged rescue file: each DONE that is whole counts, or DAGMan says what is wrong and stops."""
    names = [f"node{number}" for number in range(rng.randrange(2, 30))]
    (place / "a.dag").write_text("".join(f"JOB {name} {name}.sub\nRETRY {name} 3\n" for name in names))
    done = rng.sample(names, rng.randrange(1, len(names)))
    lines = ["# Rescue DAG file, created after running", "#   the a.dag DAG file", f"# Nodes that failed: {len(done)}"]
    lines += [line for name in done for line in (f"DONE {name}", f"RETRY {name} 2")]
    data = "".join(f"{line}\n" for line in lines).encode()
    case = damaged(rng, data)
    path = place / "a.dag.rescue001"
    path.write_bytes(case.damaged)
    builder = Builder(DagFiles(), str(place), LanguageSettings())
    try:
        builder.add(str(place / "a.dag"), 0)
        builder.add_partial(str(path))
        builder.check_throttles()
        dag = builder.finish()
    except DagError as error:
        return [] if error.notes else ["DAGMan says nothing of what is wrong"]
    wrong, at = [], 0
    for line in lines:
        begin, at = at, at + len(line) + 1
        name = line.removeprefix("DONE ")
        if line.startswith("DONE ") and _is_whole(case, begin, at) and not dag.is_settled(dag.names.index(name)):
            wrong.append(f"{line} does not count")
    return wrong
