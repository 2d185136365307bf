"""A job for which this pool has no universe or no plugin waits for ever: people are told when they submit and look."""

from __future__ import annotations

from pool import PersonalPool
from screen import on_terminal

PARALLEL = "universe = parallel\nmachine_count = 1\nexecutable = /bin/true\nqueue\n"
PLUGIN = (
    "executable = /bin/true\nshould_transfer_files = yes\ntransfer_input_files = gold://mine/ore\n"
    "when_to_transfer_output = on_exit\nqueue 2\n"
)
NO_UNIVERSE = "this pool runs no jobs of the parallel universe"
NO_PLUGIN = "no slot has a file transfer plugin for gold:// (HasFileTransferPluginMethods)"


def test_people_are_told_and_programs_are_not(pool: PersonalPool) -> None:
    for text, reason in ((PARALLEL, NO_UNIVERSE), (PLUGIN, NO_PLUGIN)):
        (pool.work / "vain.sub").write_text(text)
        code, shown = on_terminal(pool, "condor_submit", "vain.sub")
        assert code == 0
        assert shown.endswith(f"WARNING: nothing here will run this: {reason}\n")
        assert reason not in pool.tool("condor_submit", "vain.sub").stderr
    shown = on_terminal(pool, "condor_q")[1]
    assert shown.endswith(f"Will never run: 1, 2 ({NO_UNIVERSE})\nWill never run: 3, 4 ({NO_PLUGIN})\n")
    assert f"It will never run here: {NO_UNIVERSE}\n" in on_terminal(pool, "condor_q", "-better-analyze", "1")[1]
    assert f"It will never run here: {NO_PLUGIN}\n" in on_terminal(pool, "condor_q", "-better-analyze", "3.1")[1]
    rows = [line.split() for line in pool.tool("condor_q", "-forecast").stdout.splitlines()[4:]]
    told = {row[0]: " ".join(row[2:]) for row in rows}
    assert told == {
        **dict.fromkeys(("1.0", "2.0"), f"never {NO_UNIVERSE}"),
        **dict.fromkeys(("3.0", "3.1", "4.0", "4.1"), f"never {NO_PLUGIN}"),
    }
    for words in (("condor_q",), ("condor_q", "-better-analyze", "1")):
        done = pool.tool(*words)
        assert "never" not in done.stdout + done.stderr
    pool.tool("condor_hold", "-all")
    assert "never" not in on_terminal(pool, "condor_q")[1]


def test_what_this_pool_can_run_is_not_warned_of(pool: PersonalPool) -> None:
    (pool.work / "fine.sub").write_text(PLUGIN.replace("gold", "https"))
    assert "WARNING" not in on_terminal(pool, "condor_submit", "fine.sub")[1]
