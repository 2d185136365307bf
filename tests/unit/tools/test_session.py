"""A session of commands about one pool of many kinds of slots, users and jobs: all that each of them prints.

The session is tests/golden/session/session.txt. After a wanted change CONDOR_PY_RECORD=1 writes it again, and the
difference is to be read.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from session_pool import SESSION, normal, of_session, spool
from tool_runner import Spool

__all__ = ["spool"]
COMMANDS = """condor_q -all
condor_q -all -nobatch
condor_q -all -batch:-
condor_q -all -totals
condor_q -all -run
condor_q -all -hold
condor_q -all -hold:12
condor_q -all -hold:12/28
condor_q -all -hold-codes
condor_q -all -idle
condor_q -all -cputime -nobatch
condor_q -all -cumulative-time -nobatch
condor_q -all -grid
condor_q -all -io
condor_q -all -dag
condor_q -all -dag -nobatch -verbose
condor_q -all -autocluster
condor_q -all -group-by -attributes Owner,JobStatus
condor_q -all -factory
condor_q -all -jobset
condor_q -all -wide -nobatch
condor_q -all -wide:60 -nobatch
condor_q -all -limit 3
condor_q -submitter bea
condor_q -constraint 'JobPrio > 0' -all
condor_q 1.0 3
condor_q ann
condor_q -all -af:jh Owner JobStatus
condor_q -all -totals -af Owner
condor_q 4.0 -long -attributes Owner,Cmd,JobStatus
condor_q 4.0 -json -attributes Owner,Cmd
condor_q 4.0 -xml -attributes Owner
condor_q 77
condor_q -why -all
condor_q -why -all -json
condor_q -why 1
condor_q -why 3.0 -json
condor_q -forecast:600 -all
condor_q -forecast -all
condor_q -better-analyze 1.1
condor_q -better-analyze 1.2
condor_q -better-analyze 8.0
condor_q -better-analyze 3.0
condor_q -better-analyze 1.0
condor_q -better-analyze 9.0
condor_q -better-analyze 11.0
condor_q -better-analyze:summary -all
condor_q -better-analyze:priority 1.1
condor_q -better-analyze:noprune 8.0
condor_q -better-analyze:reverse 1.1 -machine slot1@lab
condor_q -better-analyze:reverse -verbose 1.1 -machine slot2@lab
condor_q -reverse-analyze 8.0
condor_q -reverse-analyze:summary -all
condor_q -better-analyze -machine slot3@lab 1.1
condor_q -better-analyze -slotconstraint 'Cpus > 3' 1.1
condor_q -unmatchable -all
condor_q -all -dry-run
condor_userprio
condor_userprio -all -allusers
condor_userprio -most -flat
condor_userprio -usage -allusers
condor_userprio -priority -allusers
condor_userprio -quotas
condor_userprio -surplus
condor_userprio -groupid -order -sortkey
condor_userprio -grouporder -grouprollup -all -allusers
condor_userprio -long
condor_userprio -long -legacy
condor_userprio -af:h Name Priority
condor_userprio -constraint 'ResourcesUsed > 0'
condor_userprio bea@example.net
condor_userprio -whatif bea@example.net=500
condor_userprio -whatif bea@example.net=2*physics.ann@example.net
condor_userprio -activefrom 11 1 2026
condor_history
condor_history -limit 1
condor_history 21 -long -attributes Owner,JobStatus
condor_history -wide
condor_history -forwards
condor_history -why
condor_history -why 21.0
condor_history -why -json
condor_history -efficiency
condor_history -constraint 'JobStatus == 3' -af ClusterId ProcId
condor_history -since 21.0
condor_history -scanlimit 2 -json -attributes Owner
condor_status
condor_status -run
condor_status -compact
condor_status -submitters
condor_status -schedd
condor_status -totals
condor_status -af Name State
condor_status -constraint 'Cpus > 3'
condor_status -sort -Memory -limit 2
condor_status slot2@lab
condor_status -claimed ann
condor_status -diagnose
condor_status -long slot2@lab -attributes Name,State
condor_who -jobs
condor_who -startd
condor_top -once
htcondor job status 3.0
htcondor job status 8.0
htcondor job resources 1.0
htcondor dag status 5
htcondor ap status
htcondor server status
condor_status -group-by State
condor_wait none.log""".splitlines()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command(spool: Spool, command: str) -> None:
    program, *words = shlex.split(command)
    done = spool.run(program, *words)
    errors = "".join(f"E| {line}\n" for line in done.err.splitlines())
    told = normal(f"$ {command}\n{done.out}{errors}[{done.code}]\n")
    if os.environ.get("CONDOR_PY_RECORD"):
        before = SESSION.read_text() if command != COMMANDS[0] else ""
        SESSION.write_text(before + told)
    assert told == of_session(command)
