"""What must be true of a damaged job queue or accounting: see ``damage``.

Ads of which no line was touched are there and unchanged. Of the others each is there, whole enough to be worked with,
or named in what the daemon says; unless nothing is left of it in the file. The daemon starts, condor_store_check says
before what it does then, and is content after -repair.
"""

from __future__ import annotations

import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from damage import Case, damaged

from condor_py.core.accounts.core import Accountant
from condor_py.core.jobs.core import Schedd
from condor_py.core.jobs.events import QueueTaken, Tick, UsersFound
from condor_py.daemons.common.service import open_table, tell_notes
from condor_py.model.ids import JobId
from condor_py.model.settings.negotiator import AccountantSettings
from condor_py.model.settings.schedd import ScheddSettings
from condor_py.store.accountant_log import AccountantLog
from condor_py.store.adlog import (
    DELETE,
    DESTROY_AD,
    NEW_AD,
    SET,
    Damage,
    Record,
    Tail,
    format_record,
    parse_line,
    scan,
)
from condor_py.store.check import check_spool
from condor_py.store.job_queue import JobQueue
from condor_py.store.mend import Image
from condor_py.store.queue_rules import NEEDED
from condor_py.store.repair import repair_spool
from condor_py.store.table import AdTable, raw_items

NOW = 1_795_300_000
_KEY = re.compile(rb"(?<![\w.@#])(0?\d+)\.(-?\d+)(?![\w.])")
_CUSTOMER = re.compile(rb"(?:Customer|Resource)\.[^\s\0]+|Accountant\.")

#: What is said of an end that counts no more.
_OF_ENDS = (": cut ", "has no end", "belong to no transaction")
#: What holding a job changes.
_OF_HOLDS = ("jobstatus", "holdreason", "holdreasoncode", "holdreasonsubcode")

# the queue


def queue_log(rng: random.Random) -> bytes:
    """A log as a schedd writes it: the image of a rewrite, and what came afterwards."""
    made = ["107 3 CreationTimestamp 1795200000", "101 0.0 Job Machine", '103 0.0 UidDomain "example.net"']
    last = rng.randrange(3, 9)
    made += [f"103 0.0 NextClusterNum {last + 1}", "101 0.2 Owner (empty)", '103 0.2 User "alice@example.net"']
    made += ['103 0.2 Owner "alice"', '103 0.2 OsUser "alice"', "103 0.2 Enabled 1"]
    jobs: list[tuple[int, int]] = []
    image = rng.randrange(last + 1)
    for cluster in range(1, image + 1):
        made += _submitted(rng, cluster, jobs)
    made += ["105 ", "106 "]
    for cluster in range(image + 1, last + 1):
        made += ["105 ", f"103 0.0 NextClusterNum {cluster + 1}", *_submitted(rng, cluster, jobs), "106 "]
        for _ in range(rng.randrange(4)):
            made += ["105 ", *_moved(rng, jobs), "106 "]
    made += ["105 ", f"103 0.0 NextClusterNum {last + 1}", "106 "]
    return "".join(f"{line}\n" for line in made).encode()


def _submitted(rng: random.Random, cluster: int, jobs: list[tuple[int, int]]) -> list[str]:
    key = f"0{cluster}.-1"
    lines = [f"101 {key} Job Machine", f"101 {cluster}.-2 ClusterPvt (empty)", f"103 {key} ClusterId {cluster}"]
    lines += [f'103 {key} {item}' for item in (
        'Owner "alice"', 'User "alice@example.net"', 'Cmd "/bin/sleep"', "JobUniverse 5", f"QDate {NOW - cluster}",
        'Requirements (TARGET.Arch == "X86_64") && (TARGET.Memory >= RequestMemory)', "RequestMemory 128",
        "RequestCpus 1", "RequestDisk 1024", 'Iwd "/home/alice"', "OnExitRemove true", "JobPrio 0",
    )]  # fmt: skip
    for proc in range(rng.randrange(1, 4)):
        jobs.append((cluster, proc))
        own = f"{cluster}.{proc}"
        lines += [
            f"101 {own} Job Machine", f'103 {own} GlobalJobId "host#{own}#1795200000"', f"103 {own} ProcId {proc}",
            f'103 {own} Args "{rng.randrange(100)} \\"x\\""', f"103 {own} JobStatus 1",
        ]  # fmt: skip
    return lines


def _moved(rng: random.Random, jobs: list[tuple[int, int]]) -> list[str]:
    if not jobs:
        return []
    cluster, proc = rng.choice(jobs)
    key = f"{cluster}.{proc}"
    kind = rng.randrange(4)
    if kind == 0:
        reason = f'103 {key} HoldReason "by hand"'
        return [f"103 {key} JobStatus 5", reason, f"103 {key} HoldReasonCode 1", f"104 {key} RemoteHost"]
    if kind == 1:
        return [f"103 {key} JobStatus 2", f'103 {key} RemoteHost "slot1@host"', f"103 {key} NumJobStarts 1"]
    if kind == 2:
        return [f"103 {key} JobPrio {rng.randrange(9)}"]
    jobs.remove((cluster, proc))
    gone = [f"103 {key} JobStatus {rng.choice('34')}", f"102 {key}"]
    return gone if any(one == cluster for one, _ in jobs) else [*gone, f"102 0{cluster}.-1", f"102 {cluster}.-2"]


def _image(data: bytes) -> Image:
    image = Image()
    for record in scan(data, "log").records:
        if record.op < 105 and ((record.key in image.ads) is not (record.op == 101)):
            image.play(record)
    return image


def _lines_at(data: bytes, begin: int, end: int) -> bytes:
    """The lines that have a byte of these, or the one before or behind them."""
    first = data.rfind(b"\n", 0, max(0, begin - 1)) + 1
    last = data.find(b"\n", min(len(data), end))
    return data[first : last + 1 if last >= 0 else len(data)]


def _changed_lines(case: Case) -> list[bytes]:
    before, after = Counter(case.data.split(b"\n")), Counter(case.damaged.split(b"\n"))
    lines = [*(before - after), *(after - before)]
    return lines + [_lines_at(case.data, begin, end) for begin, end in case.touched]


def _intact(case: Case) -> Iterator[tuple[Record | None, bool]]:
    """The records of the log before it was damaged, in order, and whether no byte of theirs was touched."""
    begin = 0
    for line in case.data.split(b"\n")[:-1]:
        end = begin + len(line) + 1
        whole = not any(a < end and b > begin - 1 and (a < b or begin < a) for a, b in case.touched)
        yield parse_line(line.decode("latin-1")), whole
        begin = end


def _lost_records(case: Case, expected: Image, found: Image, text: str) -> Iterator[str]:
    """Whole records of ads that say nothing any more, a line each.

    A record that is the only one left of its ad may be left out, and named: a damaged key may have made it. So may
    those of an ad that belongs to no job any more."""
    last: dict[tuple[str, str], tuple[bool, str | None]] = {}
    left: Counter[str] = Counter()
    moved: list[str] = []
    for record, whole in _intact(case):
        if record is not None and record.op in (SET, DELETE):
            last[record.key, record.name.lower()] = (whole, record.value if record.op == SET else None)
            left[record.key] += whole
            moved += [] if whole else [format_record(record)[:-1]]
        elif record is not None and record.op in (NEW_AD, DESTROY_AD):
            last = {place: what for place, what in last.items() if place[0] != record.key}
            left[record.key] = 0
    now = case.damaged.decode("latin-1").split("\n")
    others = [parse_line(line) for line in {*moved} & {*now} | ({*now} - {*case.data.decode("latin-1").split("\n")})]
    said = {(record.key, record.name.lower()) for record in others if record is not None}
    for (key, name), (whole, value) in last.items():
        if (key, name) == ("0.0", "nextclusternum"):
            continue  # it may be a higher one now
        if not whole or key not in expected.ads or (key, name) in said or (key, "") in said:
            continue
        ad = found.ads.get(key)
        if _named(key, text) and (left[key] < 2 or (ad is None and re.fullmatch(r"0?\d+\.-\d", key))):
            continue
        if ad is not None and ad.get("jobstatus") == "5" and name in _OF_HOLDS:
            continue
        if (ad or {}).get(name) != value:
            yield f"a whole record of {key} says nothing any more: {name} is {(ad or {}).get(name)}, not {value}"


def _jobs_in(lines: list[bytes]) -> set[tuple[int, int]]:
    return {(int(left), int(right)) for line in lines for left, right in _KEY.findall(line)}


def _dropped(damaged_data: bytes) -> bytes:
    """What a crash may have left, which is cut."""
    try:
        found = scan(damaged_data, "log")
    except Damage:
        return b""
    return damaged_data[found.length :] if found.tail is not Tail.COMPLETE else b""


def queue(rng: random.Random, place: Path) -> list[str]:
    """One damaged queue."""
    data = queue_log(rng)
    case = damaged(rng, data)
    spool = place / "spool"
    spool.mkdir()
    path = spool / "job_queue.log"
    path.write_bytes(case.damaged)
    shutil.copytree(spool, place / "again")
    told, expected = [problem.text for problem in check_spool(str(spool))], _image(data)
    said: list[str] = []
    table = open_table(lambda: JobQueue(str(path), whole=True), str(path), said.append)
    table.compact(0)
    tell_notes(table, said.append)
    wrong = list(_not_as_told(spool / "job_queue.log", told, said))
    text = "\n".join(said)
    touched = _jobs_in([*_changed_lines(case), _dropped(case.damaged)])
    clusters = {cluster for cluster, proc in touched if proc < 0}
    ever = _jobs_in([data])
    for key in [key for key in expected.ads if parse_line(f"102 {key}") and _KEY.fullmatch(key.encode())]:
        cluster, proc = map(int, key.split("."))
        if cluster == 0 or proc < 0:
            continue
        ad = table.job(JobId(cluster, proc))
        if (cluster, proc) not in touched and cluster not in clusters:
            if ad is None:
                if not _named(key, text):  # in a transaction that lost its end
                    wrong.append(f"job {key} is gone, and no line of it was touched")
            elif (now := dict(_items(ad))) != _merged(expected, key) and not _is_only_held(case, now, expected, key):
                wrong.append(f"job {key} is another, and no line of it was touched: {_differing(ad, expected, key)}")
        elif ad is None and not _named(key, text) and _is_to_be_told(expected, key, case.damaged, said):
            wrong.append(f"job {key} is gone without a word")
    for job, ad in table.jobs():
        lacks = [name for name, fits in NEEDED.items() if not fits(ad.text(name) or "") and ad.text("JobStatus") != "5"]
        if lacks or ad.text("JobStatus") not in tuple("1234567"):
            wrong.append(f"job {job} has no {lacks or 'JobStatus'}")
        if job not in ever and not (_named(str(job), text) and ad.text("JobStatus") == "5"):
            wrong.append(f"job {job} never was")
    if not any(any(words in line for words in _OF_ENDS) for line in said):
        wrong += _lost_records(case, expected, _now(table), text)
    wrong += _started(table)
    table.close()
    return wrong + _repaired(place / "again", lambda name: JobQueue(name), path)


def _is_only_held(case: Case, ad: dict[str, str], expected: Image, key: str) -> bool:
    """Whether a job has all its records and is held because lines beside them cannot be read: they may be of it."""
    lines = case.damaged.decode("latin-1").split("\n")
    numbers = [int(number) for number in re.findall(r"\d+(?=,| and | were| was)", ad.get("holdreason", ""))]
    others = {name: text for name, text in _merged(expected, key).items() if name not in _OF_HOLDS}
    return (
        {name: text for name, text in ad.items() if name not in _OF_HOLDS} == others
        and ad.get("jobstatus") == "5"
        and numbers != []
        and all(parse_line(lines[number - 1]) is None for number in numbers)
    )


def _is_to_be_told(expected: Image, key: str, left: bytes, said: list[str]) -> bool:
    """Whether a job that is gone has not ended, something is left of it, and no end was cut as a crash leaves it."""
    ended = expected.ads[key].get("jobstatus") in ("3", "4")
    return not ended and _named(key, left.decode("latin-1")) and not any(": cut " in line for line in said)


def _named(key: str, text: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(key)}(?![\w])", text) is not None


def _items(ad: object) -> Iterator[tuple[str, str]]:
    parent = getattr(ad, "parent", None)
    both = ([] if parent is None else raw_items(parent)) + raw_items(ad)  # type: ignore[arg-type]
    return ((name.lower(), text) for name, text in both if name not in ("MyType", "TargetType"))


def _merged(image: Image, key: str) -> dict[str, str]:
    found = {**image.ads.get(f"0{key.split('.')[0]}.-1", {}), **image.ads[key]}
    return {name: text for name, text in found.items() if name not in ("mytype", "targettype")}


def _differing(ad: object, image: Image, key: str) -> set[tuple[str, str]]:
    return set(_items(ad)) ^ set(_merged(image, key).items())


def _not_as_told(path: Path, told: list[str], said: list[str]) -> Iterator[str]:
    """Whether the check before the start said what the start does."""
    errors = [line for line in said if line.startswith("ERROR")]
    kept = list(path.parent.glob(f"{path.name}.damaged*"))
    if bool(told) is not bool(errors):
        yield f"the check said {told[:2]}, the start {errors[:2]}"
    if bool(kept) is not bool(told):
        yield f"the check said {told[:2]}, and {kept or 'nothing'} was kept aside"
    if told and len(errors) not in (len(told) + 1, len(told) + 2):  # what is damaged, and where it is kept
        yield f"the check said {len(told)} things, the start {len(errors)}: {told} {errors}"


def _started(table: JobQueue) -> list[str]:
    """The core of the schedd takes the queue over; every job is in one of its totals."""
    core = Schedd(table, ScheddSettings(uid_domain="example.net"), NOW)
    core.handle(UsersFound(table.user_records), NOW)
    core.handle(QueueTaken(None, set()), NOW)
    core.handle(Tick(), NOW + 1)
    return []


def _repaired(spool: Path, make: Callable[[str], AdTable], started: Path) -> list[str]:
    """-repair makes of it what the start made, and then nothing is wrong."""
    repair_spool(str(spool))
    problems = check_spool(str(spool))
    wrong = [f"after -repair: {problem.text}" for problem in problems[:2]]
    path = spool / started.name
    mine, theirs = make(str(path)), make(str(started))
    mine.compact(0)
    if _all(mine) != _all(theirs):
        wrong.append("-repair made something else of it than the start")
    mine.close()
    theirs.close()
    return wrong


def _now(table: AdTable) -> Image:
    """The ads of a table as an image."""
    image = Image()
    image.ads = {key: {name.lower(): text for name, text in found.items()} for key, found in _all(table).items()}
    return image


def _all(table: AdTable) -> dict[str, dict[str, str]]:
    return {key: dict(raw_items(ad)) for key, ad in table.ads.items()}


# the accounting


def accounting_log(rng: random.Random) -> bytes:
    """A log as a negotiator writes it."""
    made = ["107 7 CreationTimestamp 1795200000", "101 Accountant. * *", "103 Accountant. LastUpdateTime 1795200000"]
    names = [f"Customer.user{number}@example.net" for number in range(rng.randrange(2, 9))] + ["Customer.<none>"]
    for name in names:
        made.append(f"101 {name} * *")
        made += [f"103 {name} {item} {rng.randrange(10**6)}.{rng.randrange(10**6):06}" for item in (
            "Priority", "PriorityFactor", "AccumulatedUsage", "WeightedAccumulatedUsage")]  # fmt: skip
        made += [f"103 {name} {item} {rng.randrange(10**9)}" for item in ("BeginUsageTime", "LastUsageTime")]
    slot = "Resource.slot1@host@<127.0.0.1:9618?addrs=1>"
    made += ["105 ", f"101 {slot} * *", f'103 {slot} RemoteUser "user1@example.net"', f"103 {slot} StartTime 5", "106 "]
    for _ in range(rng.randrange(12)):
        name = rng.choice(names)
        made += ["105 ", f"103 {name} Priority {rng.randrange(99)}.500000", f"103 Accountant. LastUpdateTime {NOW}"]
        made.append("106 ")
    return "".join(f"{line}\n" for line in made).encode()


def accountant(rng: random.Random, place: Path) -> list[str]:
    """One damaged accounting."""
    data = accounting_log(rng)
    case = damaged(rng, data)
    spool = place / "spool"
    spool.mkdir()
    path = spool / "Accountantnew.log"
    path.write_bytes(case.damaged)
    shutil.copytree(spool, place / "again")
    told, expected = [problem.text for problem in check_spool(str(spool))], _image(data)
    said: list[str] = []
    table = open_table(lambda: AccountantLog(str(path)), str(path), said.append)
    table.compact(0)
    tell_notes(table, said.append)
    wrong = list(_not_as_told(path, told, said))
    text = "\n".join(said)
    lines = [*_changed_lines(case), _dropped(case.damaged)]
    touched = {key.decode("latin-1") for line in lines for key in _CUSTOMER.findall(line)}
    for key, attributes in expected.ads.items():
        ad = table.ads.get(key)
        if key not in touched:
            if (ad is None or dict(_items(ad)) != attributes) and not (
                "the last transaction has no end" in text and key in text
            ):
                wrong.append(f"{key} is {'gone' if ad is None else 'another'}, and no line of it was touched")
        elif ad is None and key not in text and key in case.damaged.decode("latin-1") and ": cut " not in text:
            wrong.append(f"{key} is gone without a word")
    if not any(any(words in line for words in _OF_ENDS) for line in said):
        wrong += _lost_records(case, expected, _now(table), text)
    Accountant(AccountantSettings()).load(table.customers(), table.resources(), table.last_update)
    table.close()
    return wrong + _repaired(place / "again", AccountantLog, path)


# the index beside a queue


def index(rng: random.Random, place: Path) -> list[str]:
    """One damaged index: the queue is read as without one."""
    path = place / "job_queue.log"
    path.write_bytes(b"".join(queue_log(rng) for _ in range(1)))
    plain = JobQueue(str(path), readonly=True)
    folded = plain._folded
    if folded is None:
        return ["there is no index to damage"]
    case = damaged(rng, folded._image.index())
    Path(f"{path}.index").write_bytes(case.damaged)
    with_index = JobQueue(str(path), readonly=True)
    same = _all(with_index) == _all(plain) and with_index.groups() == plain.groups()
    for each in (plain, with_index):
        each.close()
    return [] if same else ["a damaged index changes what the queue says"]
