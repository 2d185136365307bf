"""Many DAGs at once, each with a throttle, on one pool.

    tests/campaigns/run load_dags -n 100000
    tests/campaigns/run load_dags -n 2000 -nodes 100

-n is the number of nodes of all DAGs, -nodes those of one. A node is a job of /bin/true; half of the nodes have a
parent among those before, which the seed chooses. Looked for: DAGs that do not complete, nodes that are submitted or
end other than once, memory of condor_dagman (-memory MB and -a_node kB for each node, PSS) and of the schedd, files
that stay in EXECUTE, and a user whose tools are slow meanwhile (-goal). 100,000 nodes take half an hour on two cores.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from campaign import Campaign, main
from load_watch import (
    SharedPool,
    Watch,
    guarded,
    is_quiet,
    load_pool,
    pss_of,
    user_options,
    wait_for,
    warm_up,
    working_user,
)

_SUBMIT = "executable = /bin/true\nshould_transfer_files = no\nrequest_disk = 1\nqueue\n"
_PATIENCE = 6 * 3600
_EVENT = re.compile(rb"^(000|005) \((\d+)\.(\d+)\.", re.MULTILINE)
#: How often the memory is looked at, in looks whether a DAG has ended.
_EVERY = 10


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-nodes", type=int, default=1_000, help="nodes of a DAG (1000)")
    parser.add_argument("-maxjobs", type=int, default=20, help="jobs of a DAG in the queue at a time (20)")
    parser.add_argument("-cpus", type=int, default=8, help="slots of the pool (8)")
    user_options(parser)
    parser.add_argument("-memory", type=float, default=30.0, help="MB that a condor_dagman may take (30)")
    parser.add_argument("-a_node", type=float, default=5.0, help="kB more for each node (5)")
    parser.add_argument("-keep", type=Path, help="where the directories of DAGs that are wrong are copied")


def body(campaign: Campaign) -> None:
    with load_pool(campaign.options.cpus, DAGMAN_AVOID_SLASH_TMP="false") as pool:
        warm_up(pool)
        watch = Watch(pool)
        watch.step(0)
        with working_user(pool, campaign):
            Dags(pool, campaign, watch).run()
        wait_for(lambda: is_quiet(pool), "all has gone", 300)
        watch.step(campaign.done)
        campaign.figures |= watch.report()
        watch.judge(campaign)
        left = [path.name for path in pool.execute.iterdir() if path.name.startswith("dir_")]
        if left:
            campaign.found(f"left in EXECUTE: {left[:10]}")


class Dags:
    """All DAGs, in directories of their own."""

    def __init__(self, pool: SharedPool, campaign: Campaign, watch: Watch) -> None:
        self._pool, self._campaign, self._watch = pool, campaign, watch
        nodes = min(campaign.options.nodes, campaign.size)
        self._open = {pool.work / f"dag{number}": nodes for number in range(campaign.size // nodes)}
        self._looks = 0
        self._most = 0.0

    def run(self) -> None:
        """Return when all have ended."""
        self._campaign.figures["dags"] = len(self._open)
        for folder, nodes in self._open.items():
            self._submit(folder, nodes)
        while self._open:
            wait_for(self._has_ended, lambda: f"one of {len(self._open)} DAGs ends", _PATIENCE)
            self._watch.step(self._campaign.done)
        self._campaign.figures["dagman_mb"] = round(self._most, 1)
        most = self._campaign.options.memory + self._campaign.options.a_node * self._campaign.options.nodes / 1e3
        if self._most > most:
            self._campaign.found(f"a condor_dagman takes {self._most:.1f} MB, more than {most:.1f}")

    def _submit(self, folder: Path, nodes: int) -> None:
        folder.mkdir()
        choose = self._campaign.choose
        lines = [f"JOB N{node} true.sub" for node in range(nodes)]
        lines += [
            f"PARENT N{choose.randrange(node)} CHILD N{node}" for node in range(1, nodes) if choose.random() < 0.5
        ]
        (folder / "true.sub").write_text(_SUBMIT)
        (folder / "x.dag").write_text("\n".join(lines) + "\n")
        self._pool.tool("condor_submit_dag", "-maxjobs", str(self._campaign.options.maxjobs), "x.dag", cwd=folder)

    def _has_ended(self) -> bool:
        """Whether a DAG has; it is checked then."""
        if self._looks % _EVERY == 0:
            self._look_at_memory()
        self._looks += 1
        for folder, nodes in tuple(self._open.items()):
            log = folder / "x.dag.dagman.log"
            if log.exists() and b"\n005 (" in log.read_bytes():
                del self._open[folder]
                wrong = self._wrong(folder, nodes)
                if wrong:
                    self._campaign.found(f"{folder.name} of {nodes} nodes: {wrong}")
                if wrong and self._campaign.options.keep:
                    shutil.copytree(folder, self._campaign.options.keep / folder.name, dirs_exist_ok=True)
                self._campaign.step(nodes)
                return True
        return False

    def _look_at_memory(self) -> None:
        pids = [pid for pid in self._pool.processes() if _is_dagman(pid)]
        self._most = max([self._most, *(pss_of([pid]) for pid in pids)])

    def _wrong(self, folder: Path, nodes: int) -> str:
        """Return what is wrong with a DAG, of which each node was to be submitted once and to end once; "" if
        nothing."""
        try:
            out = (folder / "x.dag.dagman.out").read_text(errors="replace")
            log = (folder / "x.dag.nodes.log").read_bytes()
        except OSError as error:
            return str(error)
        if "All jobs Completed!" not in out:
            return f"it has not completed: {out[-500:]}"
        counts: Counter[bytes] = Counter()
        jobs: Counter[tuple[bytes, bytes]] = Counter()
        for number, cluster, _ in _EVENT.findall(log):
            counts[number] += 1
            jobs[number, cluster] += 1
        if counts != {b"000": nodes, b"005": nodes} or len(jobs) != 2 * nodes:
            return f"events {dict(counts)}, {len(jobs)} of different jobs"
        return ""


def _is_dagman(pid: int) -> bool:
    try:
        return b"condor_dagman" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main(guarded(body), name="load_dags", about=__doc__, unit="nodes", size=100_000, options=options))
