"""All pages in a real browser, with queues of several lengths: python tests/web/browser.py FOLDER [JOBS ...].

It writes a picture of each page (dark and light, narrow and wide) into the folder, prints what it measured, and ends
with 1 when something is wrong with a page. Times are told, not judged.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "e2e"), str(ROOT / "tests" / "web")]

from pool import PersonalPool, wait_for
from server import Server
from visit import NARROW, WIDE, Visitor, chromium

from condor_py.cli.web.app import PAGES

_JOB = "executable = /bin/sleep\narguments = 3000\nrequest_memory = 10\nrequest_cpus = 1\n"
_USERS = ("alice", "bob", "carol", "dave")
_BUSY = 10.0
_WORDS = ("fetch", "align", "call", "merge", "report")


def fill(pool: PersonalPool, jobs: int) -> list[str]:
    """Queue so many jobs, some of them a DAG; return the addresses of pages of one batch, job and DAG."""
    if not jobs:
        return []
    if jobs <= 100:
        for number, user in enumerate(_USERS[: max(1, jobs // 2)]):
            more = f"accounting_group_user = {user}\nbatch_name = {user}s-work\n"
            pool.submit(f"{_JOB}{more}queue {max(1, jobs // len(_USERS) - (number == 0))}\n")
        pool.submit(f"{_JOB}request_memory = 900 GB\nbatch_name = too-large\nqueue 1\n")
    else:
        pool.submit(f"{_JOB}batch_name = long\nqueue {jobs}\n")
    (pool.work / "node.sub").write_text("executable = /bin/sleep\narguments = 2\nrequest_memory = 10\nqueue\n")
    rows = [[f"{word}{number}" for number in range(6)] for word in _WORDS]
    lines = [f"JOB {name} node.sub" for row in rows for name in row]
    for above, below in pairwise(rows):
        lines += [f"PARENT {above[at]} {above[(at + 1) % 6]} CHILD {name}" for at, name in enumerate(below)]
    (pool.work / "flow.dag").write_text("\n".join(lines) + "\n")
    pool.tool("condor_submit_dag", "flow.dag")
    dag = next(row[0] for row in pool.queue("ClusterId", "JobUniverse") if row[1] == "7")
    return ["/queue/1", "/queue/1.0", f"/dag/{dag}"]


def visit_all(pool: PersonalPool, server: Server, jobs: int, folder: Path) -> list[str]:
    """Visit all pages; return what is wrong."""
    paths = [*(f"/{page.name}" for page in PAGES), *fill(pool, jobs)]
    with chromium() as browser:
        visitor = Visitor(browser, server.place, server.entry)
        for path in paths:
            paints = []
            for size in (WIDE, NARROW):
                for scheme in ("light", "dark"):
                    name = f"{path.strip('/').replace('/', '-')}-{jobs}-{size[0]}-{scheme}.png"
                    paints.append(visitor.look(path, size, scheme, folder / name))
            stops = visitor.walk(path)
            times = f"first paint {min(paints):4.0f} to {max(paints):4.0f} ms"
            print(f"{jobs:7} jobs  {path:16} {times}, {len(stops)} stops by Tab")
        visitor.follow("/" + PAGES[0].name, PAGES[1].title, f"/{PAGES[1].name}")
        for path in ("/queue", "/pool", "/why", "/wall"):
            seconds = _update(visitor, pool, path)
            print(f"{jobs:7} jobs  {path:16} shows a new job {seconds:.2f} s after condor_submit has ended")
        for path in ("/queue", "/pool", "/why", "/wall"):
            _measure(visitor, pool, server, jobs, path)
    complaints = server.complaints()
    return [*visitor.problems, *([complaints] if complaints else [])]


def _update(visitor: Visitor, pool: PersonalPool, path: str) -> float:
    """Seconds from the end of a submit until a page shows another number of jobs that wait or run."""
    figures = "[...document.querySelectorAll('.figures b')].map(e => e.innerText).join()"
    with visitor.page(path) as page:
        page.wait_for_selector(".live.on, .wall")
        page.wait_for_timeout(1500)
        before = page.evaluate(figures)
        pool.submit(f"{_JOB}hold = true\nqueue 1\n")
        begun = time.monotonic()
        page.wait_for_function(f"before => {figures} !== before", arg=before, timeout=20000, polling=20)
        return time.monotonic() - begun


def _measure(visitor: Visitor, pool: PersonalPool, server: Server, jobs: int, path: str) -> None:
    """Tell the CPU and memory of the server while a page is open and jobs come and go."""
    with visitor.page(path) as page:
        page.wait_for_timeout(2000)
        before, begun = server.cpu(), time.monotonic()
        while time.monotonic() - begun < _BUSY:
            pool.submit("executable = /bin/true\nrequest_memory = 10\nqueue 2\n")
            page.wait_for_timeout(700)
        busy = (server.cpu() - before) / (time.monotonic() - begun)
        before, begun = server.cpu(), time.monotonic()
        page.wait_for_timeout(5000)
        still = (server.cpu() - before) / (time.monotonic() - begun)
    print(f"{jobs:7} jobs  {path:16} server: {100 * busy:.1f} % of a core while jobs come and go, {100 * still:.1f} % "
          f"while nothing is submitted, {server.memory():.0f} MB")  # fmt: skip


def main(words: list[str]) -> int:
    """The program; its exit code."""
    if not words or words[0].startswith("-") or not all(word.isdecimal() for word in words[1:]):
        print("usage: tests/web/run FOLDER [JOBS ...]", file=sys.stderr)
        return 2
    folder = Path(words[0])
    folder.mkdir(parents=True, exist_ok=True)
    wrong: list[str] = []
    for jobs in map(int, words[1:] or ("0", "10", "100000")):
        top = Path(tempfile.mkdtemp(prefix="condor_py-web-"))
        pool = PersonalPool(top / "pool", cpus=4, WEB_WALL="true", DAGMAN_AVOID_SLASH_TMP="false",
                            MAX_JOBS_PER_OWNER="1000000", MAX_JOBS_PER_SUBMISSION="1000000")  # fmt: skip
        try:
            pool.start()
            wait_for(pool.ready, "the pool is ready")
            server = Server(pool)
            try:
                wrong += visit_all(pool, server, jobs, folder)
            finally:
                server.stop()
        finally:
            pool.stop()
            shutil.rmtree(top, ignore_errors=True)
    print("\n".join(wrong) if wrong else f"Nothing is wrong. Pictures: {os.path.abspath(folder)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
