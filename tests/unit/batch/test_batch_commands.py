"""Command lines for batch systems, and what their commands say; some of it recorded from OpenPBS and OpenLava."""

from __future__ import annotations

import pytest

from condor_py.daemons.gridmanager.batchengine import SYSTEMS
from condor_py.lang.classad import ClassAd
from condor_py.machine.batch.system import NotUnderstood, Order, order_of
from condor_py.model.errors import CondorError
from condor_py.model.gridjobs import Stand

ORDER = Order("pool_1.0_7", "/s/script", "/s/dir", "long", "physics", 90, 4, 2000, 1, ("--x", "a b"))
PLAIN = Order("pool_1.0_7", "/s/script", "/s/dir")


@pytest.mark.parametrize(
    ("system", "full", "plain"),
    [
        (
            "slurm",
            "sbatch --parsable --job-name=pool_1.0_7 --chdir=/s/dir --ntasks=1 --input=/dev/null --output=/dev/null "
            "--error=/dev/null --cpus-per-task=4 --partition=long --account=physics --time=2 --mem=2000M --gres=gpu:1",
            "sbatch --parsable --job-name=pool_1.0_7 --chdir=/s/dir --ntasks=1 --input=/dev/null --output=/dev/null "
            "--error=/dev/null --cpus-per-task=1",
        ),
        (
            "sge",
            "qsub -terse -N pool_1.0_7 -wd /s/dir -S /bin/sh -o /dev/null -e /dev/null -r n -C EMPTY -q long -A "
            "physics -l h_rt=90 -l mem_free=2000M -l gpu=1 -pe smp 4",
            "qsub -terse -N pool_1.0_7 -wd /s/dir -S /bin/sh -o /dev/null -e /dev/null -r n -C EMPTY",
        ),
        (
            "pbs",
            "qsub -f -N NAME -S /bin/sh -o /dev/null -e /dev/null -m n -r n -C EMPTY -q long -A physics "
            "-l select=1:ncpus=4:mem=2000mb:ngpus=1 -l walltime=90",
            "qsub -f -N NAME -S /bin/sh -o /dev/null -e /dev/null -m n -r n -C EMPTY -l select=1:ncpus=1",
        ),
        (
            "lsf",
            "bsub -J pool_1.0_7 -n 4 -R TOGETHER -i /dev/null -o /dev/null -e /dev/null -q long -P physics "
            "-W 2 -M 2000MB -gpu num=1",
            "bsub -J pool_1.0_7 -n 1 -R span[hosts=1] -i /dev/null -o /dev/null -e /dev/null",
        ),
    ],
)
def test_what_a_job_asks_for_reaches_the_batch_system(system: str, full: str, plain: str) -> None:
    name = SYSTEMS["pbs"].job_name(ORDER.name)
    assert len(name) == 15
    full_words, plain_words = (
        [
            {"NAME": name, "EMPTY": "", "TOGETHER": "span[hosts=1] rusage[mem=2000MB]"}.get(word, word)
            for word in text.split()
        ]
        for text in (full, plain)
    )
    assert SYSTEMS[system].submit(ORDER) == [*full_words, "--x", "a b", "/s/script"]
    assert SYSTEMS[system].submit(PLAIN) == [*plain_words, "/s/script"]


def test_a_queue_of_another_cluster_of_slurm() -> None:
    slurm = SYSTEMS["slurm"]
    order = Order("n", "s", "d", "long@far")
    assert "--partition=long" in slurm.submit(order)
    assert "--clusters=far" in slurm.submit(order)
    assert slurm.submitted("12;far\n", order) == "12@far"
    assert slurm.cancel("12@far") == ["scancel", "--clusters=far", "12"]
    assert [command[-1] for command in slurm.looks("me", ["1", "12@far"])] == ["--format=%i|%T|%r|%j", "--clusters=far"]


def test_remote_attributes_count_before_the_jobs_own() -> None:
    texts = {"RequestCpus": "1", "Remote_RequestCpus": "2 + 1", "RequestMemory": "99.5", "BatchQueue": '"a"'}
    ad = ClassAd.from_text_items([*texts.items(), ("BatchExtraSubmitArgs", "\"--nice --comment='a b'\"")])
    order = order_of("n", "s", "d", ad)
    assert (order.cpus, order.memory, order.queue, order.extra) == (3, 99, "a", ("--nice", "--comment=a b"))
    ad.set_str("BatchExtraSubmitArgs", "'")
    with pytest.raises(CondorError):
        order_of("n", "s", "d", ad)


@pytest.mark.parametrize(
    ("system", "printed", "number"),
    [
        ("slurm", "sbatch: warning: x\n17\n", "17"),
        ("sge", "17\n", "17"),
        ("pbs", "17.server\n", "17.server"),
        ("lsf", "Job <17> is submitted to default queue <normal>.\n", "17"),
    ],
)
def test_the_number_of_a_new_job(system: str, printed: str, number: str) -> None:
    assert SYSTEMS[system].submitted(printed, PLAIN) == number
    for nonsense in ("", "hello\n"):
        with pytest.raises(NotUnderstood):
            SYSTEMS[system].submitted(nonsense, PLAIN)


QSTAT = """<job_info><queue_info><job_list state="running"><JB_job_number>1</JB_job_number><JB_name>a</JB_name>
<state>r</state></job_list></queue_info><job_info><job_list><JB_job_number>2</JB_job_number><JB_name>b</JB_name>
<state>qw</state></job_list><job_list><JB_job_number>3</JB_job_number><JB_name>c</JB_name><state>Eqw</state></job_list>
<job_list><JB_job_number>4</JB_job_number><JB_name>d</JB_name><state>hqw</state></job_list></job_info></job_info>"""
PBS = """{"Jobs": {"1.s": {"Job_Name": "a", "Job_Owner": "ann@h", "job_state": "R"},
"2.s": {"Job_Name": "b", "Job_Owner": "ann@h", "job_state": "Q"},
"3.s": {"Job_Name": "c", "Job_Owner": "ann@h", "job_state": "F", "Exit_status": 271},
"4.s": {"Job_Name": "d", "Job_Owner": "ann@h", "job_state": "H"},
"5.s": {"Job_Name": "e", "Job_Owner": "ann@h", "job_state": "F", "Exit_status": 1},
"6.s": {"Job_Name": "a", "Job_Owner": "bob@h", "job_state": "F", "Exit_status": 271}}}"""
SLURM = """CLUSTER: x
1|RUNNING|None|a
2|PENDING|(Resources)|b
3|CANCELLED|None|c
5|FAILED|NonZeroExitCode|e
6|TIMEOUT|TimeLimit|f
7|NODE_FAIL|None|g
8|FAILED|BadConstraints|h
"""
LSF = """1|RUN|-|a
2|PEND|-|b
3|EXIT|TERM_OWNER: job killed by owner|c
4|PSUSP|-|d
5|EXIT|-|e
6|EXIT|TERM_RUNLIMIT: x|f
"""


def test_slurm_tells_why_a_job_waits_that_does_not_just_wait_for_its_turn() -> None:
    printed = "1|PENDING|(PartitionConfig)|a\n2|PENDING|Priority|b\n3|PENDING|None|c\n"
    found = SYSTEMS["slurm"].looked(printed, ["x"], "ann")
    assert {one.name: one.seen.reason for one in found} == {"a": "PartitionConfig", "b": "", "c": ""}


@pytest.mark.parametrize(("system", "printed"), [("sge", QSTAT), ("pbs", PBS), ("slurm", SLURM), ("lsf", LSF)])
def test_how_jobs_stand(system: str, printed: str) -> None:
    found = SYSTEMS[system].looked(printed, ["x"], "ann")
    stands = {one.name: one.seen.stand for one in found}
    expected = {"a": Stand.RUNS, "b": Stand.WAITS, "c": Stand.STOPPED, "d": Stand.HELD, "e": Stand.OVER}
    assert stands.keys() >= {"a", "b", "c"}
    for name, stand in stands.items():
        assert stand is expected.get(name, Stand.STOPPED), name
    reasons = {one.name: one.seen.reason for one in found}
    assert all(reasons[name] for name, stand in stands.items() if stand is Stand.STOPPED)
    if "f" in reasons:
        assert "time limit" in reasons["f"]


@pytest.mark.parametrize(
    ("system", "away", "gone", "other"),
    [
        ("slurm", "error: Unable to contact slurm controller (connect failure)", "Invalid job id specified", "bad"),
        ("sge", "error: unable to contact qmaster using port 6444", 'denied: job "7" does not exist', "Unknown queue"),
        ("pbs", "Connection refused\nqsub: cannot connect to server x", "qdel: Unknown Job Id 7", "Unknown queue"),
        ("lsf", "LSF is down. Please wait ...", "Job <7>: Job has already finished", "No such queue"),
    ],
)
def test_errors_are_told_apart(system: str, away: str, gone: str, other: str) -> None:
    found = SYSTEMS[system]
    assert [found.is_away(text) for text in (away, gone, other)] == [True, False, False]
    assert [found.knows_nothing(text) for text in (away, gone, other)] == [False, True, False]


#: What the commands say where an older version runs, and what is used then.
NO_HISTORY = "qstat: PBS is not configured to maintain job history \n"
NO_JSON = "qstat: invalid option -- 'F'\nusage: qstat [-f [-1]] [-W site_specific]"
NO_SELECT = "qsub: submit error (Unknown resource type  REJHOST=h MSG=cannot locate resource 'select')"
NO_FORMAT = "bjobs: invalid option -- 'o'\nUsage: bjobs [-h] [-V] [-w |-l]"
NO_UNITS = "2000MB: MEMLIMT value should be a positive integer. Job not submitted."


@pytest.mark.parametrize(
    ("system", "said", "looks", "asks"),
    [
        ("pbs", [NO_HISTORY], "qstat -f -F json", "select=1:ncpus=4:mem=2000mb:ngpus=1"),
        ("pbs", [NO_JSON, NO_JSON], "qstat -f", "nodes=1:ppn=4:gpus=1,mem=2000mb"),
        ("pbs", [NO_HISTORY, NO_SELECT], "qstat -f", "nodes=1:ppn=4:gpus=1,mem=2000mb"),
        ("lsf", [NO_FORMAT], "bjobs -a -w -u ann", "select[ngpus>=1] span[hosts=1] rusage[mem=2000]"),
        ("lsf", [NO_UNITS], "bjobs -a -w -u ann", "2048000"),
    ],
)
def test_older_versions_have_their_own_words(system: str, said: list[str], looks: str, asks: str) -> None:
    found = SYSTEMS[system]
    for printed in said:
        assert not found.is_older("Unknown queue MSG=cannot locate queue")
        assert found.is_older(printed)
        assert found.older is not None
        found = found.older
    assert found.looks("ann", []) == [looks.split()]
    assert asks in found.submit(ORDER)


TORQUE = """Job Id: 1.s
    Job_Name = a
    Job_Owner = ann@h
    job_state = R
    Variable_List = PBS_O_QUEUE=batch,PBS_O_WORKDIR=/a/very/long/
\tdirectory = x

Job Id: 2.s
    Job_Name = b
    Job_Owner = ann@h
    job_state = Q
Job Id: 3.s
    Job_Name = c
    Job_Owner = ann@h
    job_state = C
    exit_status = 271
Job Id: 5.s
    Job_Name = e
    Job_Owner = ann@h
    job_state = C
    exit_status = 1
Job Id: 6.s
    Job_Name = a
    Job_Owner = bob@h
    job_state = C
"""
OPENLAVA = """JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST   JOB_NAME   SUBMIT_TIME
1       ann     RUN   normal     vm          vm          a          Nov 23 01:43
2       ann     PEND  normal     vm             -        b          Nov 23 01:43
4       ann     PSUSP normal     vm             -        d          Nov 23 01:43
5       ann     EXIT  normal     vm          vm          e          Nov  3 01:35
"""


@pytest.mark.parametrize(("system", "said", "printed"), [("pbs", NO_JSON, TORQUE), ("lsf", NO_FORMAT, OPENLAVA)])
def test_how_jobs_stand_in_older_versions(system: str, said: str, printed: str) -> None:
    found = SYSTEMS[system]
    while found.is_older(said):
        assert found.older is not None
        found = found.older
    expected = {"a": Stand.RUNS, "b": Stand.WAITS, "c": Stand.STOPPED, "d": Stand.HELD, "e": Stand.OVER}
    stands = {one.name: one.seen.stand for one in found.looked(printed, ["x"], "ann")}
    assert stands == {name: expected[name] for name in stands}
    assert stands.keys() >= {"a", "b", "e"}


def test_a_job_that_was_deleted_in_pbs_did_not_end_by_itself() -> None:
    deleted = """{"Jobs": {"17.vm": {"Job_Name": "a", "Job_Owner": "ann@h", "job_state": "F", "substate": 91,
    "comment": "Job run at Mon Nov 23 at 01:41 on (vm:ncpus=1) and terminated by root@vm", "Exit_status": 0}}}"""
    (found,) = SYSTEMS["pbs"].looked(deleted, ["x"], "ann")
    assert found.seen.stand is Stand.STOPPED
    assert "removed from batch queue manually" in found.seen.reason


def test_no_job_at_all_is_no_error_of_lsf() -> None:
    assert SYSTEMS["lsf"].knows_nothing("No job found\n")
    assert SYSTEMS["lsf"].knows_nothing("No unfinished job found\n")
