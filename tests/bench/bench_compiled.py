"""What each compiled part gains against its Python twin: ``python tests/bench/bench_compiled.py [JOBS]``.

Runs the same operations twice, in processes with and without the extensions (``CONDOR_PY_NO_EXT=1``), and prints CPU
milliseconds of both, the better of three times, and the file that is measured. The kernel of the accountant has
``bench_priority.py``, the language beside the C++ engine ``bench_classad.py``, starting programs ``bench_starter.py``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE)]

import bench_classad as language

from condor_py.core.jobs.actions import set_text
from condor_py.lang.classad import ClassAd, parse, sent
from condor_py.lang.classad.columns import columns
from condor_py.model.ids import JobId
from condor_py.store import logreader
from condor_py.store.adlog import format_records, scan
from condor_py.store.history import leaving
from condor_py.store.job_queue import JobQueue
from condor_py.store.records import Making, NewProc, cluster_records, packed_group, packed_jobs

#: Operations of the language in one measurement.
TIMES = 1000
EVENT = "{:03d} ({:04d}.{:03d}.000) 2026-11-24 13:00:00 Job was submitted\n\tfrom a host\n...\n"
KEYS = ("jobstatus", "args", "out", "requestcpus")


def submit(path: str, jobs: int) -> None:
    """Queues one cluster."""
    queue = JobQueue(path)
    with queue.transaction() as transaction:
        number = transaction.alloc_cluster()
        items = [(name, text) for name, text in language.job_items(0).items() if name not in ("ClusterId", "ProcId")]
        procs = [
            NewProc(proc, [("Args", f'"{proc}"'), ("Out", f'"o.{proc % 9}"')], 1, f"vm#{proc}") for proc in range(jobs)
        ]
        transaction.extend([*cluster_records(number, items), packed_group(number, procs)])


def operations(path: str, jobs: int) -> Iterator[tuple[str, str, Callable[[], object]]]:
    """Name, file and call of each."""
    yield "open the queue, count its jobs", "_logscan, _logimage", lambda: JobQueue(path, readonly=True).count()
    asked = JobQueue(path, readonly=True)
    yield "4 attributes of all jobs", "_logask", lambda: asked.own_texts(1, range(jobs), KEYS)
    queue = JobQueue(path)
    queue.refresh()
    every = [JobId(1, proc) for proc in range(jobs)]
    ads = queue.ads_of(every)
    lines = [ad.lines for ad in ads if getattr(ad, "lines", None)] or [b'Args "1"\nOut "o"\n'] * jobs
    yield "make attributes of the lines of all", "_logreader", lambda: [logreader.fill({}, text) for text in lines]
    yield "jobs that say the same", "_logask", lambda: logreader.kinds(ads, KEYS)
    yield "change an attribute of all", "_logsheet", lambda: queue.change(every, [set_text(every[0], "JobPrio", "3")])
    yield "history records of all", "_logprint", lambda: printed(ads)
    data = "".join([EVENT.format(0, 1, proc) for proc in range(jobs)]).encode()
    yield "events of all in an event log", "_logevents", lambda: logreader.events(data, len(data), [1])
    items = [[("Args", f'"{proc}"'), ("Out", '"o"')] for proc in range(jobs)]
    yield "lines of new jobs", "_logsubmit", lambda: made(items)
    new = Path(path).read_bytes().partition(b"\n")[2]
    yield "take them in", "_logunfold", lambda: logreader.arrivals(new) or scan(new, path, 0)
    changes = [set_text(JobId(1, at // 20), f"Attribute{at % 30}", str(at)) for at in range(60)]
    yield "60 records as lines", "changes.c", lambda: [format_records(changes) for _ in range(TIMES)]
    ad, slot = ClassAd.from_text_items(language.JOBS[7].items()), ClassAd.from_text_items(language.SLOT.items())
    data_of_ad, texts = sent.write(ad), language.NEW_TEXTS
    yield "an ad to a daemon and back", "sent.c", lambda: [sent.write(sent.read(data_of_ad)) for _ in range(TIMES)]
    requirements = parse(language.REQUIREMENTS)
    yield (
        "evaluate Requirements",
        "evaluate.c, code.c, operate.c, call.c",
        lambda: [ad.raw(requirements, slot) for _ in range(TIMES)],
    )
    yield "parse an expression", "scan.c, parse.c", lambda: [parse(language.distinct()) for _ in range(TIMES)]
    yield "parse 200 ads", "attributes.c, bind.c, names.c", lambda: [ClassAd(text) for text in texts]
    yield "print an ad", "print.c, write.c, figures.c", lambda: [str(ad) for _ in range(TIMES)]
    yield "ask an ad", "methods.c, faces.c", lambda: [ad.eval_int("JobPrio", 0) for _ in range(10 * TIMES)]
    slots = [slot] * jobs
    yield "2 attributes of as many slots", "gather.c", lambda: columns(slots, ("memory", "cpus"))


def made(items: list[list[tuple[str, str]]]) -> object:
    """New jobs as one record."""
    found = packed_jobs(7, 0, items, Making(1, "vm#7.", "#1", ("procid",), ("jobnice",)))
    if found is None:
        found = packed_group(7, [NewProc(at, some, 1, f"vm#7.{at}#1") for at, some in enumerate(items)])
    return found


def printed(ads: list[ClassAd]) -> int:
    """Bytes of their records."""
    size = 0
    for group in leaving(ads, environment=True):
        done, place = 0, (0, 0)
        while done < len(group):
            data, count, place = group.together(done, place, 0, 1)
            if count == 0:
                data, count = group.one(done)[0], 1
            done, size = done + count, size + len(data)
    return size


def measured(jobs: int) -> None:
    """Prints milliseconds, file and name of each."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "job_queue.log")
        submit(path, jobs)
        for name, file, action in operations(path, jobs):
            best = float("inf")
            for _ in range(3):
                begin = time.process_time()
                action()
                best = min(best, time.process_time() - begin)
            print(best * 1000, file, name, sep="\t", flush=True)


def main() -> None:
    """Prints the table."""
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    if len(sys.argv) > 2:
        measured(jobs)
        return
    tables = []
    for environment in (os.environ, {**os.environ, "CONDOR_PY_NO_EXT": "1"}):
        words = [sys.executable, __file__, str(jobs), "one"]
        done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        tables.append([line.split("\t") for line in done.stdout.splitlines()])
    print(f"{'':40}{'compiled':>12}{'twin':>12}{'times':>8}  file")
    for (ours, file, name), (twins, _, _) in zip(*tables, strict=True):
        print(f"{name:40}{float(ours):12.2f}{float(twins):12.2f}{float(twins) / float(ours):8.1f}  {file}")


if __name__ == "__main__":
    main()
