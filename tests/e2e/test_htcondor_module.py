"""A program written for HTCondor's Python bindings runs unchanged on this pool."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

from pool import ROOT, PersonalPool, wait_for

_SHIMS = ROOT / "condor_py" / "htcondor" / "shims"


def run(pool: PersonalPool, program: str) -> object:
    """What the program, which finds ``htcondor2`` and ``classad2`` under these names, left in ``answer``."""
    text = "import json, htcondor2, classad2\n" + textwrap.dedent(program) + "\nprint(json.dumps(answer))\n"
    done = subprocess.run(
        [sys.executable, "-c", text],
        env=pool.environment | {"PYTHONPATH": f"{ROOT}:{_SHIMS}"},
        cwd=pool.work,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_submit_ask_change_and_read_the_history(pool: PersonalPool) -> None:
    (pool.work / "status.sh").write_text("exit $1\n")
    assert run(
        pool,
        """
        schedd = htcondor2.Schedd()
        job = htcondor2.Submit({"executable": "/bin/sh", "hold": "true", "My.Tag": '"t"'})
        job["arguments"] = "status.sh $(code)"
        result = schedd.submit(job, itemdata=iter([{"code": "0"}, {"code": "3"}]))
        held = schedd.query(f"ClusterId == {result.cluster()}", ["ProcId", "JobStatus", "JobSubmitMethod", "Tag"])
        edited = schedd.edit([f"{result.cluster()}.1"], "Note", '"hello"')
        noted = schedd.query('Note == "hello"', ["ProcId"])
        told = [{name: ad[name] for name in ad if name != "ServerTime"} for ad in held]
        answer = [result.num_procs(), told, edited, noted[0]["ProcId"]]
        like = schedd.query(projection=["Owner"], opts=htcondor2.QueryOpt.GroupBy)
        sums = schedd.query(opts=htcondor2.QueryOpt.SummaryOnly)[0]
        whole = schedd.query(opts=htcondor2.QueryOpt.IncludeClusterAd)
        answer.append([like[0]["JobCount"], sums["Jobs"], sums["Held"], len(whole), "ServerTime" in held[0]])
        totals = schedd.act(htcondor2.JobAction.Release, f"ClusterId == {result.cluster()}")
        answer.append([totals["TotalSuccess"], totals["TotalNotFound"]])
        """,
    ) == [
        2,
        [
            {"ProcId": 0, "JobStatus": 5, "JobSubmitMethod": 2, "Tag": "t"},
            {"ProcId": 1, "JobStatus": 5, "JobSubmitMethod": 2, "Tag": "t"},
        ],
        1,
        1,
        [2, 2, 2, 3, True],
        [2, 0],
    ]
    wait_for(lambda: len(pool.history("ProcId")) == 2, "both jobs are through")
    assert run(
        pool,
        """
        ads = htcondor2.Schedd().history("true", ["ProcId", "ExitCode"], match=5)
        runs = htcondor2.Schedd().jobEpochHistory("true", ["ProcId"])
        answer = sorted([ad["ProcId"], ad["ExitCode"]] for ad in ads) + [len(runs), htcondor2.Startd().history()]
        """,
    ) == [[0, 0], [1, 3], 2, []]


def test_daemons_are_found_and_commanded(pool: PersonalPool) -> None:
    pool.tool("condor_userprio", "-setfactor", "alice@example.net", "20")
    assert run(
        pool,
        """
        where = htcondor2.Collector().locate(htcondor2.DaemonType.Schedd)
        schedd = htcondor2.Schedd(where)
        negotiator = htcondor2.Negotiator()
        negotiator.setFactor("alice@example.net", 40.0)
        factors = {ad["Name"]: ad["PriorityFactor"] for ad in negotiator.getPriorities()}
        startd = htcondor2.Startd()
        request = startd.drainJobs(reason="maintenance")
        startd.cancelDrainJobs(request)
        schedd.reschedule()
        states = [ad["State"] for ad in htcondor2.Collector().query(htcondor2.AdType.Startd, projection=["State"])]
        answer = [factors["alice@example.net"], bool(request), len(states), htcondor2.param["NUM_CPUS"]]
        knobs = htcondor2.RemoteParam(where)
        answer += [knobs["NUM_CPUS"], "Nosuch" in knobs, htcondor2.ping(where)["AuthorizationSucceeded"]]
        """,
    ) == [40.0, True, 1, 4, "4", False, True]


def test_mistakes_are_the_bindings_exceptions(pool: PersonalPool) -> None:
    assert run(
        pool,
        """
        def caught(call):
            try:
                call()
            except Exception as error:
                return type(error).__name__, str(error)

        schedd = htcondor2.Schedd()
        elsewhere = classad2.ClassAd({"MyAddress": "<10.1.2.3:9618>"})
        answer = [
            caught(lambda: schedd.submit(htcondor2.Submit("executable = /no/such/program\\nqueue")))[0],
            caught(lambda: schedd.submit("executable = /bin/true"))[0],
            caught(lambda: schedd.query("((")),
            caught(lambda: schedd.act("hold", "1"))[0],
            caught(lambda: schedd.act(htcondor2.JobAction.Hold, "1.x.2"))[0],
            caught(lambda: htcondor2.Schedd(elsewhere))[0],
            caught(lambda: htcondor2.Credd().query_user_cred(htcondor2.CredType.OAuth))[0],
            caught(lambda: htcondor2.Collector("elsewhere"))[0],
            caught(lambda: schedd.query("true", "Owner"))[0],
            caught(lambda: schedd.history("(("))[0],
            caught(lambda: schedd.edit("true", "A", "1"))[0],
            caught(lambda: schedd.edit(["1.0"], "A b", "1")),
            len(schedd.query()),
        ]
        """,
    ) == [
        "HTCondorException",
        "TypeError",
        ["HTCondorException", "Unable to parse the constraint: (("],
        "TypeError",
        "ValueError",
        "HTCondorLocateError",
        "HTCondorException",
        "HTCondorException",
        "TypeError",
        "HTCondorValueError",
        "HTCondorException",
        ["HTCondorException", "Got invalid attribute named A b"],
        0,
    ]
