"""What condor_mcp answers about the pool of session_pool.py, as it is kept in tests/golden/session."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("mcp.server.mcpserver", reason="the extra mcp is not installed")
sys.path.insert(0, str(Path(__file__).parent))

from session_pool import SESSION, normal, spool
from tool_runner import Spool

from condor_py.cli.mcp import looking
from condor_py.cli.mcp.limits import Limits
from condor_py.client.pool import Pool

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["spool"]
LIMITS = Limits(50, 100_000)
ANSWERS: dict[str, Callable[[Pool], BaseModel]] = {
    "queue": lambda pool: looking.queue(pool, looking.asked([], ""), False, 50, LIMITS),
    "queue of jobs": lambda pool: looking.queue(pool, looking.asked(["1", "3.1", "4", "9"], ""), True, 50, LIMITS),
    "queue by constraint": lambda pool: looking.queue(pool, looking.asked([], "JobPrio > 0"), True, 2, LIMITS),
    "job": lambda pool: looking.job(pool, "3.0", [], LIMITS),
    "job with names": lambda pool: looking.job(pool, "1.0", ["Owner", "requestmemory", "None"], LIMITS),
    "job of the history": lambda pool: looking.job(pool, "21.1", ["Owner", "JobStatus"], LIMITS),
    "why": lambda pool: looking.why(pool, looking.asked(["1", "3", "4", "8", "20", "21", "99"], ""), LIMITS),
    "why all": lambda pool: looking.why_all(pool, False, LIMITS),
    "history": lambda pool: looking.history(pool, looking.asked([], ""), 50, LIMITS),
    "history of one": lambda pool: looking.history(pool, looking.asked(["21"], ""), 1, LIMITS),
    "slots": lambda pool: looking.slots(pool, LIMITS),
    "users": lambda pool: looking.users(pool, LIMITS),
}


@pytest.mark.parametrize("question", ANSWERS)
def test_an_answer_for_agents(spool: Spool, question: str) -> None:
    told = ANSWERS[question](Pool()).model_dump_json(indent=1) + "\n"
    path = SESSION.with_name(f"mcp-{question.replace(' ', '-')}.json")
    if os.environ.get("CONDOR_PY_RECORD"):
        path.write_text(normal(told))
    assert normal(told) == path.read_text()
