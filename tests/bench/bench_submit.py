"""How long condor_submit's language needs for a job, and the whole tool for many:
``python tests/bench/bench_submit.py [jobs]``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from condor_py.lang.submit.build import BuildOptions, clusters_of
from condor_py.lang.submit.items import ItemSources
from condor_py.lang.submit.submit_file import Surroundings, parse
from condor_py.model.settings.submit import SubmitSettings

MAIN = Path(__file__).resolve().parents[2] / "condor_py" / "__main__.py"
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
    for draft in clusters_of(file):
        built = draft.build(1, "alice@example.net", "alice", BuildOptions(user="alice"))
        for proc, items in enumerate(built.procs):
            key = f"1.{proc}"
            size += len("".join([f"103 {key} {name} {value}\n" for name, value in items]))
        jobs += len(built.procs)
    assert size > 0
    return jobs, time.process_time() - start


def long_description() -> float:
    """Milliseconds of CPU to read a description of 500 lines."""
    lines = [f"v{number} = x$(v{number - 1}) $INT(Process,%03d)" for number in range(1, 496)]
    text = "\n".join(["executable = /bin/true", "v0 = 1", *lines, "arguments = $(v9)", "log = l", "queue", ""])
    sources = ItemSources(str, str, lambda _pattern: [], lambda _text: None)
    around = Surroundings({}, None, 1_700_000_000, "/", sources)
    start = time.process_time()
    parse(text, "bench.sub", settings=SubmitSettings(), surroundings=around)
    return (time.process_time() - start) * 1000


def whole_tool(text: str, items: str = "") -> float:
    """Seconds that condor_submit takes from its start to its end, the jobs on disk; no daemon runs."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "job.sub").write_text(text)
        Path(folder, "items").write_text(items)
        environment = {
            "PATH": os.environ["PATH"], "HOME": folder, "CONDOR_CONFIG": "ONLY_ENV",
            "_CONDOR_LOCAL_DIR": f"{folder}/local", "_CONDOR_MAX_JOBS_PER_SUBMISSION": "10000000",
            "_CONDOR_MAX_JOBS_PER_OWNER": "10000000",
        }  # fmt: skip
        command = [sys.executable, "-I", str(MAIN), "condor_submit", "-terse", "job.sub"]
        start = time.perf_counter()
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
        return time.perf_counter() - start


def tools() -> None:
    """The rows of whole runs, each with what it may take."""
    print(f"\n500 lines read              {long_description():8.1f} ms   (may take 20)")
    items = "".join(f"name{number} {number}\n" for number in range(100_000))
    job = "executable = /bin/true\narguments = $(a) $(b)\noutput = o.$(Process)\n"
    rate = 100_000 / whole_tool(f"{job}queue a b from items\n", items)
    print(f"queue 100000 from items     {rate:8.0f} jobs a second   ({rate / 8000:.1f} times the 8,000 wanted)")
    seconds = whole_tool(f"{job}max_idle = 100\nqueue 1000000\n")
    print(f"queue 1000000, a factory    {seconds:8.2f} s    (may take 1)")


def main() -> int:
    """Print one line a case; 1 when one is over the limit."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    worst = 0.0
    for name, text in CASES.items():
        jobs, seconds = run(text.format(count))
        cost = seconds / jobs * 1e6
        worst = max(worst, cost)
        print(f"{name:28} {jobs:7} jobs {seconds * 1000:8.1f} ms {cost:7.1f} us a job")
    tools()
    return 1 if worst > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
