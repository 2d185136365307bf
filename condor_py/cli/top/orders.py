"""What condor_top does to jobs when somebody has said yes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.cli.act import told
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.cli.top.state import Act
    from condor_py.client.pool import Pool


def carry_out(pool: Pool, order: Act) -> str:
    """Does it with the rights of whoever runs us; one line that says what became of it."""
    from condor_py.core.jobs.requests import Selection

    try:
        results = pool.act(order.action, Selection(ids=order.jobs)).results
    except CondorError as error:
        return str(error).splitlines()[0]
    lines = [told(order.action, job, results.get(job)) for job in order.jobs]
    if len(lines) == 1:
        return f"{lines[0][0]}."
    failed = [text for text, worked in lines if not worked]
    done = f"{len(lines) - len(failed)} of {len(lines)} jobs: {order.action} worked."
    return f"{done} {failed[0]}." if failed else done
