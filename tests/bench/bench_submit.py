"""How long condor_submit's language needs for a job: ``python tests/bench/bench_submit.py [jobs]``."""

from __future__ import annotations

import os
import sys
import time

from condor_py.model.settings.submit import SubmitSettings
from condor_py.submit.build import BuildOptions
from condor_py.submit.items import ItemSources
from condor_py.submit.submit_file import Surroundings, parse

#: Microseconds a job may cost, the text of its log records included.
LIMIT = 100.0

CASES = {
    "process in three commands": (
        "executable = /bin/true\narguments = $(Process)\noutput = o.$(Process)\nerror = e.$(Process)\nqueue {}\n"
    ),
    "two item variables": (
        'executable = /bin/true\narguments = "$(a) \'$(b)\'"\n+Tag = "$(b)"\nqueue {} a, b from (\nx y\n)\n'
    ),
    "functions": "executable = /bin/true\narguments = $INT(Process,%05d) $F(x)\nx = f.$(Process).txt\nqueue {}\n",
    "requests": (
        "executable = /bin/true\nrequest_memory = $(m)\nm = $INT(Process)\nrequest_cpus = 1 + $(Process)\nqueue {}\n"
    ),
}


def run(text: str) -> tuple[int, float]:
    """(jobs, seconds of CPU) for reading a text, making its jobs and writing their log records."""

    def refuse(name: str) -> str:
        raise OSError(name)

    sources = ItemSources(refuse, refuse, lambda _pattern: [], lambda _text: None)
    around = Surroundings(dict(os.environ), None, 1_700_000_000, os.getcwd(), sources)
    start = time.process_time()
    file = parse(text, "bench.sub", settings=SubmitSettings(), surroundings=around)
    jobs = 0
    size = 0
    for draft in file.clusters():
        built = draft.build(1, "alice@example.net", "alice", BuildOptions(user="alice"))
        for proc, items in enumerate(built.procs):
            key = f"1.{proc}"
            size += len("".join([f"103 {key} {name} {value}\n" for name, value in items]))
        jobs += len(built.procs)
    assert size > 0
    return jobs, time.process_time() - start


def main() -> int:
    """Print one line a case; 1 when one is over the limit."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    worst = 0.0
    for name, text in CASES.items():
        jobs, seconds = run(text.format(count))
        cost = seconds / jobs * 1e6
        worst = max(worst, cost)
        print(f"{name:28} {jobs:7} jobs {seconds * 1000:8.1f} ms {cost:7.1f} us a job")
    return 1 if worst > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
