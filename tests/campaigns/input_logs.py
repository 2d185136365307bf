"""Files of the spool and of users: event logs, history, queue and accountant log, and small files next to them.

Of logs that were damaged no reader meets anything but its StoreError, repair makes logs that are sound and in which no
whole transaction before the damage is lost, and both ways through a history give the same records.
"""

from __future__ import annotations

import os
import random
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from input_maker import Maker, Parser, text_of

from condor_py.client.tokens import read_token
from condor_py.daemons.dagman.nodeslog import NodesLog
from condor_py.lang.classad import ClassAd
from condor_py.lang.submit import factory
from condor_py.model import usagerecord
from condor_py.model.errors import StoreError
from condor_py.store import cyclelog, late_file, logreader, logreader_py, notice_file
from condor_py.store.accountant_log import AccountantLog, AccountingRules
from condor_py.store.adlog import Damage, Tail, scan
from condor_py.store.check import check_spool
from condor_py.store.event_log import EventReader, Form, LogEvent, format_event, last_states, parse, split_events, typed
from condor_py.store.history import all_records, backwards, forwards, tail_ids
from condor_py.store.job_queue import JobQueue
from condor_py.store.job_sizes import read as read_sizes
from condor_py.store.mend import mend
from condor_py.store.pool_history import Set, figures, file_name
from condor_py.store.queue_rules import QueueRules

_CRASH = str(Path(__file__).resolve().parents[1] / "crash")
if _CRASH not in sys.path:
    sys.path.append(_CRASH)

#: An event of each kind and form.
_EVERY = Path(__file__).resolve().parents[1] / "unit" / "store" / "every_event.txt"

import damage_of_files
import damage_of_logs

NOW = 1_795_300_000


def _written(name: str, data: bytes) -> str:
    with open(name, "wb") as file:
        file.write(data)
    return name


# event logs


def _every_event() -> list[LogEvent]:
    found = re.findall(r"^\d{3} \(.*?^\.\.\.\n", _EVERY.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return split_events("".join(found).encode(), "every event")[0]


@cache
def _events(form: Form) -> tuple[bytes, ...]:
    """Events of all kinds, as this program writes them."""
    found: list[bytes] = []
    for seed in range(12):
        for event in damage_of_files._events(random.Random(seed)):
            found.append(format_event(event, form).encode("utf-8", "surrogateescape"))
    for one in _every_event():
        found.append(format_event(typed(one, NOW), form).encode("utf-8", "surrogateescape"))
    return tuple(found)


def _event_log(form: Form) -> Callable[[Maker], bytes]:
    def make(maker: Maker) -> bytes:
        chance = maker.chance
        parts = [chance.choice(_events(form)) for _ in range(chance.randint(0, 6))]
        if chance.random() < 0.3:
            parts.append(chance.choice(_SAMPLES))
        chance.shuffle(parts)
        return maker.pick([b"".join(parts)])

    return make


_SAMPLES = tuple(
    text.encode()
    for text in (
        "000 (001.000.000) 2026-01-01 00:00:00 Job submitted from host: <1.2.3.4:9618>\n    DAG Node: A\n...\n",
        "001 (001.000.000) 01/01 00:00:00 Job executing on host: slot1@host\n\tSlotName: slot1@host\n\tCpus = 1\n...\n",
        "005 (002.000.000) 2026-01-01T00:00:00.123Z Job terminated.\n\t(1) Normal termination (return value 0)\n"
        "\t\tUsr 0 00:00:01, Sys 0 00:00:00  -  Run Remote Usage\n\t10  -  Run Bytes Sent By Job\n"
        "\tPartitionable Resources :    Usage  Request Allocated \n"
        "\t   Cpus                 :     0.5        1         1 \n"
        "\t   Disk (KB)            :      20       10     10000 \n"
        "\n\tJob terminated of its own accord at 2026-01-01T00:00:01Z with exit-code 0.\n...\n",
        "006 (001.000.000) 2026-01-01 00:00:00 Image size of job updated: 100\n\t1  -  MemoryUsage of job (MB)\n...\n",
        "012 (001.000.000) 2026-01-01 00:00:00 Job was held.\n\tvia condor_hold\n\tCode 1 Subcode 0\n...\n",
        "009 (001.000.000) 2026-01-01 00:00:00 Job was aborted.\n\tvia condor_rm\n...\n",
        "028 (1.0.0) 2026-01-01 00:00:00 Job ad information event triggered.\nA = 1\nTriggerEventTypeNumber = 1\n...\n",
        "040 (001.000.000) 2026-01-01 00:00:00 Started transferring input files\n\tTransferring to host: <x>\n...\n",
        "099 (001.000.000) 2026-01-01 00:00:00 Something new\n\tmore\n...\n",
    )
)
_EVENT_WORDS = (
    "...\n", "\n...\n", "000 (001.000.000) ", "005 (", " (1.0.0) ", "2026-01-01 00:00:00 ", "01/01 00:00:00 ", "Code ",
    "return value ", "Usr 0 00:00:01", "Run Bytes Sent", "Partitionable Resources :", "Cpus  :  1 1 1", "DAG Node: ",
    "<c>\n", "</c>\n", "{\n", "}\n", '"EventTypeNumber": 5,', '"Cluster": 1,', '<a n="EventTypeNumber"><i>5</i></a>',
    "Subcode",
)  # fmt: skip


def _read_events(data: bytes) -> None:
    path = _written("event.log", data)
    reader = EventReader(path)
    events = reader.read()
    for event in events[:20]:
        event.lines  # noqa: B018
        try:
            items = parse(event, NOW)
        except Parser.errors:
            continue
        for name, text in items:
            assert name, "an attribute without a name"
            assert text, f"{name} has no text"
        if event.text[:1] not in "<{":
            made = typed(event, NOW)
            for form in (Form.TEXT, Form.JSON, Form.XML):
                shown = format_event(made, form).encode("utf-8", "surrogateescape")
                again, used = split_events(shown, "again")
                assert used, f"what is printed as {form.name} is no event: {shown[:200]!r}"
                assert len(again) == 1, f"one event printed as {form.name} reads back as {len(again)}: {shown[:300]!r}"
                assert again[0].number == made.number, f"event {made.number} reads back as {again[0].number}"
    last_states(path, range(200))
    reader.read()


def _read_nodes(data: bytes) -> None:
    for read in NodesLog(_written("nodes.log", data)).read():
        read.title  # noqa: B018


# history


@cache
def _histories() -> tuple[bytes, ...]:
    found = []
    for seed in range(8):
        path = Path(f"sample.history.{os.getpid()}")
        damage_of_files.history_log(random.Random(seed), path)
        found.append(path.read_bytes())
        path.unlink()
    return tuple(found)


_HISTORY_WORDS = (
    "*** Offset = 0 ClusterId = 1 ProcId = 0 Owner = \"a\" CompletionDate = 5\n", "*** ", "\n***\n", "Offset = ",
    "ClusterId = 1\n", "*** EPOCH ClusterId=1 ProcId=0 RunInstanceId=0 Owner=\"a\" CurrentTime=5\n", "JobStatus = 4\n",
    'GlobalJobId = "h#1.0#1"\n',
)  # fmt: skip


def _read_history(data: bytes) -> None:
    path = _written("history", data)
    there, back = [*forwards(path)], [*backwards(path)]
    assert there == back[::-1], f"{len(there)} records forwards, {len(back)} backwards"
    for record in there[:20]:
        record.fields()
        record.job()
        record.kind()
        try:
            record.ad()
        except StoreError:
            continue
    assert len([*all_records(path)]) == len(there)
    rest = [*forwards(path, rest=True)]
    assert rest[: len(there)] == there
    tail_ids(path)


# queue and accounting


@cache
def _queues() -> tuple[bytes, ...]:
    return tuple(damage_of_logs.queue_log(random.Random(seed)) for seed in range(20))


@cache
def _accounts() -> tuple[bytes, ...]:
    return tuple(damage_of_logs.accounting_log(random.Random(seed)) for seed in range(10))


_LOG_WORDS = (
    "101 1.0 Job Machine\n", "103 1.0 Foo 1\n", "104 1.0 Foo\n", "105 \n", "106 \n", "102 1.0\n",
    "107 1 CreationTimestamp 5\n", '103 01.-1 Owner "x"\n', "101 01.-1 Job Machine\n", "999 x\n", "103 1.0\n", "\n",
    "101 ", "103 ", "0.0", "0.2", "(empty)", "108 ", "101 Customer.a@b * *\n", "103 Customer.a@b Priority 0.5\n",
    "NextClusterNum", "JobStatus", "ClusterId", "ProcId",
)  # fmt: skip


def _read_queue(data: bytes) -> None:
    found = [module.load(data, True) for module in (logreader, logreader_py)]
    assert (found[0] is None) or (found[1] is None) or found[0][3:] == found[1][3:], "the two readers differ"
    _check_log("job_queue.log", data)


def _read_accountant(data: bytes) -> None:
    _check_log("Accountantnew.log", data)


def _rules(name: str) -> QueueRules | AccountingRules:
    return AccountingRules() if name.startswith("Acc") else QueueRules(lambda: 3)


def _check_log(name: str, data: bytes) -> None:
    """Reading, checking and repair of a log. What repair gives is sound; a sound log stays as it is."""
    spool = f"spool of {name}"  # the files of other parsers are none of its
    os.makedirs(spool, exist_ok=True)
    path = _written(os.path.join(spool, name), data)
    mended = mend(data, _rules(name))
    problem = ""
    try:
        scanned = scan(data, path)
    except Damage as error:
        problem = str(error)
    else:
        if scanned.tail is Tail.COMPLETE and not mended.notes:
            assert mended.data == data, "a sound log was changed"
    assert mended.notes or not problem, f"nothing to repair, but: {problem}"
    after = scan(mended.data, "repaired") if mended.notes else scan(data[: scan(data, path).length], path)
    assert after.tail is Tail.COMPLETE or not mended.notes, "a repaired log does not end with a whole transaction"
    again = mend(mended.data, _rules(name))
    assert not again.notes or not mended.notes, f"a repaired log is damaged: {again.notes[:2]}"
    _open_log(name, path)
    check_spool(spool)
    if mended.notes:
        _open_log(name, _written(path, mended.data))


def _open_log(name: str, path: str) -> None:
    try:
        if name.startswith("Acc"):
            [ad.text_items() for ad in AccountantLog(path, readonly=True).customers().values()]
        else:
            [ad.text_items() for _, ad in JobQueue(path, uid_domain="x", readonly=True).jobs()]
    except StoreError:
        pass


def _read_arrivals(data: bytes) -> None:
    logreader.arrivals(data)
    for module in (logreader, logreader_py):
        try:
            module.fill({}, data)
        except ValueError:
            pass  # not the lines of an ad


# small files


def _sizes(maker: Maker) -> bytes:
    return maker.pick(
        ('{"version": 1, "until": 5, "kinds": [["a", {"n": 1, "memory": [1, 2]}]]}', '{"version": 2}', "[]")
    )


def _read_sizes(data: bytes) -> None:
    read_sizes(_written("job_sizes", data))


def _cycles(maker: Maker) -> bytes:
    return maker.pick(
        (
            '{"v":1,"t":[1,2],"n":3,"k":4,"p":[1.5,2,3],"u":{"a@b":{"r":1,"f":2,"x":{"why":[5,6]}}},"g":{"g":[1,2,3]}}\n',
            '{"v":1,"t":[100,200],"n":0,"k":0,"p":[0,0,0]}\n',
        )
    )


def _read_cycles(data: bytes) -> None:
    for record in cyclelog.records(_written("cycles", data)):
        line = cyclelog.encode(record)
        assert cyclelog.decode(line.rstrip(b"\n")) is not None, f"{line[:200]!r} does not read back"


def _late(maker: Maker) -> bytes:
    return maker.pick(('["/tmp/log", 1, 0, 5, "text"]\n["/tmp/log", 3]\n', '["o", "1.0", "http://x", "t", "d"]\n'))


def _read_late(data: bytes) -> None:
    for line in data.split(b"\n"):
        late_file._read_line(line)
        notice_file._notice(line)


def _usage(maker: Maker) -> bytes:
    return maker.pick(("0 0.5 100 20;60 1 200 30;90 held", "0 1 2 3", ""))


def _read_usage(data: bytes) -> None:
    text = text_of(data)
    usagerecord.is_sound(text)
    points, marks = usagerecord.read(text)
    for point in points:
        point.text()
    assert all(mark.at >= 0 for mark in marks)


def _tokens(maker: Maker) -> bytes:
    return maker.pick(("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhQGIiLCJpYXQiOjF9.c2ln", "e30.e30.", "a.b.c"))


def _read_tokens(data: bytes) -> None:
    for line in text_of(data).splitlines():
        read_token(line)


def _pool_history(maker: Maker) -> bytes:
    return maker.pick(("100\ta@b\t:1 2 3\n160\ta@b\t:4 5\n", "1\tx\t:\n"))


def _read_pool_history(data: bytes) -> None:
    os.makedirs("pool", exist_ok=True)
    _written(file_name("pool", Set.SUBMITTERS, 0), data)
    for one in Set:
        [*figures("pool", one, "a@b", 0, 1 << 40)]


def _digest(maker: Maker) -> bytes:
    return maker.pick(
        (
            '# condor_py factory {"directory": "/tmp", "file": "x", "environment": {}}\nqueue 2 a from (\n1\n)\n',
            "FACTORY.Iwd = /tmp\nexecutable = x\nqueue 3\n",
        )
    )


def _read_digest(data: bytes) -> None:
    text = text_of(data)
    for read in (factory._facts, lambda digest: factory._known_facts(digest, ClassAd())):
        try:
            read(text)
        except ValueError:
            pass


PARSERS = (
    *(Parser(f"events-{form.name.lower()}", _event_log(form), _read_events, _EVENT_WORDS) for form in Form),
    Parser("nodes-log", _event_log(Form.TEXT), _read_nodes, _EVENT_WORDS),
    Parser("history", lambda maker: maker.pick(_histories()), _read_history, _HISTORY_WORDS),
    Parser("queue-log", lambda maker: maker.pick(_queues()), _read_queue, _LOG_WORDS),
    Parser("accountant-log", lambda maker: maker.pick(_accounts()), _read_accountant, _LOG_WORDS),
    Parser("queue-lines", lambda maker: maker.pick(_queues()), _read_arrivals, _LOG_WORDS),
    Parser("job-sizes", _sizes, _read_sizes),
    Parser("cycles", _cycles, _read_cycles),
    Parser("late-events", _late, _read_late),
    Parser("usage", _usage, _read_usage),
    Parser("tokens", _tokens, _read_tokens),
    Parser("pool-history", _pool_history, _read_pool_history),
    Parser("digests", _digest, _read_digest),
)
