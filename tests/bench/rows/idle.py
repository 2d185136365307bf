"""What a pool without work costs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from table import Row

from rows.common import own_cpu, pool_of, proportional_mb


def _wakes(pid: int) -> int:
    found = 0
    for path in Path(f"/proc/{pid}/task").glob("*/status"):
        text = path.read_text()
        found += sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("voluntary_ctxt"))
    return found


def rows(quick: bool) -> Iterator[Row]:
    with pool_of() as pool:
        time.sleep(2 if quick else 20)  # the first minute has more to do
        daemons = [pool.pid(name) for name in ("master", "schedd", "negotiator", "startd")]
        begin, cpu, wakes = time.monotonic(), sum(map(own_cpu, daemons)), sum(map(_wakes, daemons))
        time.sleep(2 if quick else 130)
        span = time.monotonic() - begin
        used = (sum(map(own_cpu, daemons)) - cpu) / span
        yield Row("idle pool: CPU", used * 100, "%", 0.02)
        yield Row("idle pool: wake-ups a second", (sum(map(_wakes, daemons)) - wakes) / span, "", 2)
        yield Row("idle pool: memory of all daemons, shared pages once", proportional_mb(daemons), "MB", 80)
