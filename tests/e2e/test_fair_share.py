"""Fair share in a real pool: what claimed slots and the negotiator's ad tell."""

from __future__ import annotations

import re

from pool import PersonalPool, wait_for


def test_slots_jobs_and_the_negotiator_tell_of_the_negotiation(pool: PersonalPool) -> None:
    pool.configure(
        "GROUP_NAMES = physics, chemistry\nGROUP_QUOTA_physics = 3\nGROUP_QUOTA_chemistry = 0\n"
        'GROUP_AUTOREGROUP_chemistry = true\nPoolName = "the pool"\nNEGOTIATOR_MATCH_EXPRS = PoolName\n'
    )
    for group in ("physics", "chemistry"):
        pool.submit(
            f"executable = /bin/sleep\narguments = 100\naccounting_group = {group}\naccounting_group_user = ada\n"
            f"log = {group}.log\nqueue\n"
        )
    columns = ("RemoteGroup", "RemoteNegotiatingGroup", "RemoteAutoregroup")

    def claimed() -> list[str]:
        constraint = 'State == "Claimed"'
        return sorted(pool.tool("condor_status", "-constraint", constraint, "-af", *columns).stdout.splitlines())

    wait_for(lambda: len(claimed()) == 2, "both jobs have slots")
    assert claimed() == ["chemistry <none> true", "physics physics false"]
    expression = 'NegotiatorMatchExprPoolName = "the pool"'

    def told() -> int:
        return sum(expression in path.read_text() for path in pool.execute.rglob(".job.ad"))

    wait_for(lambda: told() == 2, "both jobs run, and are told")
    assert "NegotiatorMatchExpr" not in pool.tool("condor_q", "-long").stdout

    def matched() -> str:
        return pool.tool("condor_status", "-negotiator", "-long").stdout

    wait_for(lambda: "LastNegotiationCyclePies0" in matched(), "the negotiator tells of its cycle")
    ad = matched()
    for name in ("Phase4Duration", "MatchRateSustained", "SubmittersShareLimit", "ActiveSubmitterCount", "CpuTime"):
        assert f"LastNegotiationCycle{name}0" in ad


def test_jobs_that_slots_tell_apart_do_not_block_each_other(pool: PersonalPool) -> None:
    pool.configure('START = TARGET.Department =?= "good"\n')
    head = "executable = /bin/sleep\narguments = 100\nlog = d.log\n"
    pool.submit(head + '+Department = "bad"\nqueue 2\n')
    pool.submit(head + '+Department = "good"\nqueue\n')
    wait_for(lambda: pool.queue("Department", "JobStatus").count(["good", "2"]) == 1, "the good job runs")
    assert pool.queue("Department", "JobStatus").count(["bad", "1"]) == 2


def test_condor_q_tells_when_jobs_start_and_why_they_wait(own_pool: PersonalPool) -> None:
    """In a pool that has learnt nothing from other jobs."""
    pool = own_pool
    many = pool.submit("executable = /bin/sleep\narguments = 1000\nlog = f.log\nqueue 6\n")
    large = pool.submit("executable = /bin/sleep\narguments = 1000\nrequest_cpus = 90\nlog = g.log\nqueue\n")

    def waits() -> bool:
        running = pool.queue("JobStatus").count(["2"])
        return running == 4 and ["no", "match", "found"] in pool.queue("LastRejMatchReason")

    wait_for(waits, "four jobs run, one never will")
    forecast = pool.tool("condor_q", "-forecast:7200").stdout
    rows = [line.split() for line in forecast.splitlines() if line[:1].isdigit()]
    assert [row[0] for row in rows[:2]] == [f"{many}.4", f"{many}.5"]
    assert {row[-1] for row in rows[:2]} <= {"0+01:58", "0+01:59", "0+02:00"}
    assert rows[2][0] == f"{large}.0"
    why = r"never no slot is large enough: cpus: wants 90, there is 4 on slot1@\S+"
    assert re.fullmatch(why, " ".join(rows[2][2:]))
    lacks = [line.strip() for line in forecast.splitlines() if line[:1] == " " and "wants" in line]
    assert lacks[0].startswith("cpus: wants 1, 0 of 4 free on slot1@")
    assert re.search(r"; held by [^ ]+ \(4, the first until about (../.. )?..:..\)$", lacks[0])
    assert len(lacks) == 1, "told once for jobs that are alike"
    drained = pool.tool("condor_q", "-better-analyze", f"{many}.5").stdout
    assert "\n      1 slots would match if drained\n" in drained
    assert pool.tool("condor_q", "-unmatchable", "-af:j", "JobStatus").stdout == f"{large}.0 1\n"
    reason = "Reason for last match failure: no match found"
    assert reason in pool.tool("condor_q", "-better-analyze", f"{large}.0").stdout
    learnt = pool.tool("condor_q", "-forecast").stdout
    assert re.search(r"^ID +OWNER +START +WAIT +8 OF 10 WAIT +END$", learnt, re.MULTILINE)
    assert re.search(
        rf"^{many}\.4 .* \d\+\d\d:\d\d +\d\+\d\d:\d\d to \d+\+\d\d:\d\d +\S+ \d\d:\d\d$", learnt, re.MULTILINE
    )
    assert re.search(r"^Jobs judged: .*\. New jobs are not foreseen\.$", learnt, re.MULTILINE)
    wrong = pool.tool("condor_q", "-forecast:soon", check=False)
    assert wrong.returncode == 1
    assert wrong.stderr == "Error: -forecast:soon: write a number of seconds above 0\n"
