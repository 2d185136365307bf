"""How long tools take on the empty queue of a running pool, from the start of bin/TOOL to its end."""

from __future__ import annotations

from collections.abc import Iterator

from table import Row

from rows.common import bare, median, pool_of, tool

_TOOLS = (("condor_q",), ("condor_status",), ("condor_submit", "-terse", "one.sub"))


def rows(quick: bool) -> Iterator[Row]:
    times = 3 if quick else 21
    with pool_of() as pool:
        (pool.work / "one.sub").write_text("executable = /bin/true\nhold = true\nqueue\n")
        for words in _TOOLS:
            tool(pool, *words)()
            limit = median(times, bare()) * 1000
            took = median(times, tool(pool, *words)) * 1000
            work = "condor_submit of one job" if len(words) > 1 else f"{words[0]}, empty"
            yield Row(f"start: {work}", took, "ms", 30, limit, "python -I -S -c pass")
