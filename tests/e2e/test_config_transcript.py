"""condor_config_val and condor_reconfig with a running pool, against a transcript of HTCondor 25.14.

In the transcript HOST stands for the machine, ADDR for the address of a daemon, DIR for the pool's directory and
``line N`` for a line of its configuration.
"""

from __future__ import annotations

import os
import re
import shlex

from pool import ROOT, PersonalPool

GOLDEN = ROOT / "tests" / "golden" / "config"


def test_transcript(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    (pool.directory / "persist").mkdir()
    config = pool.directory / "condor_config"
    config.write_text((GOLDEN / "running_pool.config").read_text().replace("{0}", str(pool.directory)))
    pool.environment["CONDOR_CONFIG"] = str(config)
    pool.start()
    for part in re.split(r"^\$ ", (GOLDEN / "running_pool.txt").read_text(), flags=re.MULTILINE)[1:]:
        command, *expected = part.splitlines()
        done = pool.tool(*shlex.split(command), check=False)
        lines = _shown(pool, done.stdout) + [f"E| {line}" for line in _shown(pool, done.stderr)]
        assert lines + ([f"[exit {done.returncode}]"] if done.returncode else []) == expected, command


def _shown(pool: PersonalPool, text: str) -> list[str]:
    text = re.sub(r"<127[^>]*>", "<ADDR>", text.replace(str(pool.directory), "DIR"))
    text = text.replace(f" {os.uname().nodename} ", " HOST ")
    return re.sub(r"line \d+", "line N", text).splitlines()
