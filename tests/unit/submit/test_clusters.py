"""Clusters and procs: numbers in ads, what procs hold, several queue statements, failures in the middle."""

from __future__ import annotations

import hashlib

import pytest

from condor_py.lang.classad.usermap import UserMap
from condor_py.lang.submit.build import clusters_of
from condor_py.lang.submit.errors import SubmitError
from condor_py.model.copies import changed

TEXT = "executable = /bin/true\narguments = $(Process)\noutput = o.$(Cluster).$(Process)\n"


def test_procs_hold_only_what_differs_from_the_first_job(alice) -> None:
    (draft,) = clusters_of(alice.parse(TEXT + "error = e\nqueue 3\n"))
    built = draft.build(12, "alice@example.net", "alice", alice.options)
    assert [dict(items) for items in built.procs] == [
        {"JobStatus": "1"},
        {"JobStatus": "1", "Args": '"1"', "Out": '"o.12.1"'},
        {"JobStatus": "1", "Args": '"2"', "Out": '"o.12.2"'},
    ]
    ad = dict(built.ad_items)
    assert (ad["Out"], ad["Args"], ad["ClusterId"]) == ('"o.12.0"', '"0"', "12")


def test_cluster_ad_has_what_the_schedd_adds(alice) -> None:
    (draft,) = clusters_of(alice.parse("executable = /bin/true\nhold = true\nqueue\n"))
    built = draft.build(3, "alice@example.net", "alice", alice.options)
    ad = dict(built.ad_items)
    assert ad["User"] == '"alice@example.net"'
    assert ad["Owner"] == '"alice"'
    assert (ad["NumHolds"], ad["NumHoldsByReason"]) == ("1", "[ SubmittedOnHold = 1 ]")
    assert (ad["HoldReasonCode"], ad["HoldReason"]) == ("15", '"submitted on hold at user\'s request"')
    assert dict(built.procs[0]) == {"JobStatus": "5"}
    names = [name for name, _ in built.ad_items]
    assert names == sorted(names, key=lambda name: (len(name), name.lower()))


def test_measured_sizes_are_kept_beside_the_rounded_ones(alice) -> None:
    alice.write("prog", "x" * (43 * 1024), mode=0o755)
    (draft,) = clusters_of(alice.parse("executable = prog\nqueue\n"))
    ad = dict(draft.build(1, "a@b", "a", alice.options).ad_items)
    assert (ad["ExecutableSize_RAW"], ad["ExecutableSize"]) == ("43", "45")
    assert (ad["NumCkpts_RAW"], ad["NumCkpts"]) == ("0", "0")


def test_procs_keep_the_measured_size_too(alice) -> None:
    alice.write("big", "x" * 50_000)
    (draft,) = clusters_of(
        alice.parse("executable=/bin/true\ntransfer_input_files=$(f)\nqueue f in (/etc/hostname big)\n")
    )
    own = dict(draft.build(1, "a@b", "a", alice.options).procs[1])
    assert int(own["DiskUsage_RAW"]) > 49
    assert int(own["DiskUsage"]) >= int(own["DiskUsage_RAW"])


def test_a_job_held_by_its_item_says_why(alice) -> None:
    (draft,) = clusters_of(alice.parse("executable=/bin/true\nhold=$(h)\nqueue h in (false true)\n"))
    idle, held = (dict(items) for items in draft.build(1, "a@b", "a", alice.options).procs)
    assert idle == {"JobStatus": "1"}
    assert (held["JobStatus"], held["HoldReasonCode"], held["NumHolds"]) == ("5", "15", "1")


def test_two_queue_statements_share_a_cluster(alice) -> None:
    file = alice.parse(TEXT + "priority = 1\nqueue 2\npriority = 9\nqueue\n")
    assert file.has_several_queues
    (draft,) = clusters_of(file)
    built = draft.build(5, "a@b", "a", alice.options)
    assert [dict(items).get("JobPrio") for items in built.procs] == [None, None, "9"]
    assert dict(built.procs[2])["Args"] == '"2"'


def test_a_queue_statement_knows_nothing_of_the_jobs_before_it(alice) -> None:
    jobs = alice.jobs(f"{TEXT}queue\nhold = true\nqueue\nhold = false\nqueue\n")
    assert [job.get("HoldReasonCode") for job in jobs] == [None, "15", None]


def test_a_queue_statement_without_jobs_is_passed_over(alice) -> None:
    assert [job["ProcId"] for job in alice.jobs(f"{TEXT}queue x in ()\nqueue 2\n")] == ["0", "1"]


def test_another_executable_shares_a_cluster_and_another_universe_begins_one(alice) -> None:
    text = f"{TEXT}queue 2\nexecutable = /bin/sleep\nqueue\nuniverse = local\nqueue\n"
    assert [draft.job_count for draft in clusters_of(alice.parse(text))] == [3, 1]
    jobs = alice.jobs(text)
    assert [(job["ClusterId"], job["ProcId"]) for job in jobs] == [("7", "0"), ("7", "1"), ("7", "2"), ("8", "0")]
    assert [job["Cmd"] for job in jobs[1:3]] == [jobs[0]["Cmd"], '"/bin/sleep"']


def test_a_bad_line_after_the_first_queue_is_due_after_its_jobs(alice) -> None:
    file = alice.parse(TEXT + "queue 2\nnonsense\n", "x.sub")
    assert file.job_count == 2
    assert file.failure is not None
    assert file.failure.report.startswith("\nERROR: on Line 5 of x.sub: \n")


def test_jobs_before_a_failing_one_are_counted(alice) -> None:
    done: list[int] = []
    alice.options = changed(alice.options, after_job=lambda _cluster, proc, _ad, _own: done.append(proc))
    with pytest.raises(SubmitError, match="priority=abc is invalid"):
        alice.jobs("executable=/bin/true\nqueue priority in (1 2 abc 4)\n")
    assert done == [0, 1]


def test_before_job_may_refuse(alice) -> None:
    def refuse() -> None:
        raise SubmitError("\nERROR: too many\n")

    alice.options = changed(alice.options, before_job=refuse)
    with pytest.raises(SubmitError, match="too many"):
        alice.jobs("executable=/bin/true\nqueue\n")


def test_requirements_follow_a_request_that_changes_from_job_to_job(alice) -> None:
    jobs = alice.jobs(
        "executable=/bin/true\nrequest_memory = $(m)\nrequest_cpus = $(c)\nqueue m, c from (\n1 1\n10 1\n10 4\n)\n"
    )
    assert ["RequestMemory" in job["Requirements"] for job in jobs] == [False, True, True]
    assert ["RequestCpus" in job["Requirements"] for job in jobs] == [False, False, True]


def test_every_way_to_draw_again_is_drawn_for_each_job(alice) -> None:
    jobs = alice.jobs("executable=/bin/true\narguments = $INT(Process,%02d) $(f_$(Process))\nf_0=z\nf_1=o\nqueue 2\n")
    assert [job["Args"] for job in jobs] == ['"00 z"', '"01 o"']


def test_defines_lose_to_the_file_and_appends_win(alice) -> None:
    text = "executable=/bin/true\npriority = 2\nqueue\n"
    assert alice.jobs(text, defines=[("priority", "1"), ("rank", "7")])[0]["JobPrio"] == "2"
    assert alice.jobs(text, defines=[("rank", "7")])[0]["Rank"] == "7"
    assert (
        alice.jobs(text, appends=["priority = 3", "+Mark = 1"])[0] | {"JobPrio": "3", "Mark": "1"}
        == alice.jobs(text, appends=["priority = 3", "+Mark = 1"])[0]
    )


def test_appends_need_no_operator(alice) -> None:
    text = "executable=/bin/true\nqueue\n"
    for append in ("priority 3", "priority:3", "priority = 3", "priority   :   3"):
        assert alice.jobs(text, appends=[append])[0]["JobPrio"] == "3"
    for append in ("priority", "junk", "+Mark"):
        with pytest.raises(SubmitError):
            alice.jobs(text, appends=[append])


def test_nothing_may_follow_the_queue_statement_of_a_factory(alice) -> None:
    text = "executable=/bin/true\n{}\nqueue 2\n\n# a comment\n{}\n"
    assert len(alice.jobs(text.format("max_idle = 1", ""))) == 2
    assert len(alice.jobs(text.format("max_idle =", "priority = 1\nqueue 1"))) == 3
    for after in ("priority = 1", "queue", "if false\nendif", "include : more.sub"):
        with pytest.raises(SubmitError, match="Extra data found after queue statement"):
            alice.jobs(text.format("max_materialize = 1", after))


def test_paths_follow_the_directory_of_each_job(alice) -> None:
    for number in (0, 1):
        (alice.directory / f"d{number}").mkdir()
    jobs = alice.jobs("executable=/bin/true\ninitialdir = d$(Process)\nlog = l\ndagman_log = d\nqueue 2\n")
    assert [job["UserLog"] for job in jobs] == [f'"{alice.directory}/d{number}/l"' for number in (0, 1)]
    assert [job["DAGManNodesLog"] for job in jobs] == [f'"{alice.directory}/d{number}/d"' for number in (0, 1)]


def test_warnings_name_file_and_line_and_misspelled_requests_are_unused(alice) -> None:
    file = alice.parse("executable=/bin/true\nwarning : look $(Process) out\nrequest_cpu = 2\nqueue\n")
    list(clusters_of(file)[0].make(7, alice.options).own)
    assert file.messages.warnings().startswith('WARNING: Warning "job.sub", Line 2: look 0 out\n')
    assert "request_cpu" in file.unused()


@pytest.mark.parametrize(
    ("text", "unused"),
    [
        ("queue in (a b)", "the Queue variable 'Item'"),
        ("x = 1\nqueue x in (a b)", "the line 'x = '"),
        ("queue x in (a b)\nx = 3\nqueue", "the line 'x = 3'"),
        ("if defined y\nendif\nqueue y in (a b)", "the Queue variable 'y'"),
        ("queue\narguments = 1", "the line 'arguments = 1'"),
    ],
)
def test_what_nothing_uses_is_told(alice, text: str, unused: str) -> None:
    file = alice.parse(f"executable=/bin/true\n{text}\n")
    for cluster in clusters_of(file):
        list(cluster.make(7, alice.options).own)
    assert [warning.partition(" was unused")[0] for warning in file.unused().values()] == [unused]


def test_queue_from_the_command_line(alice) -> None:
    assert len(alice.jobs("executable=/bin/true\n", queue_args="queue 3")) == 3
    assert len(alice.jobs("executable=/bin/true\n")) == 1


def test_conditions_and_includes(alice) -> None:
    alice.write("more.sub", "priority = 4\n")
    job = alice.job("if defined nothing\nrank = 1\nelse\nrank = 2\nendif\ninclude : more.sub")
    assert (job["Rank"], job["JobPrio"]) == ("2", "4")


def test_unused_lines_are_reported_and_used_ones_are_not(alice) -> None:
    file = alice.parse("executable=/bin/true\nmine = 1\nreqest_memory = 10\nn = 2\n+A = $(n)\nqueue x in (a)\n")
    for draft in clusters_of(file):
        draft.build(1, "a@b", "a", alice.options)
    assert list(file.unused().values()) == [
        "the line 'mine = 1' was unused by condor_submit. Is it a typo?\n",
        "the line 'reqest_memory = 10' was unused by condor_submit. Is it a typo?\n",
        "the Queue variable 'x' was unused by condor_submit. Is it a typo?\n",
    ]
    assert (file.meant("reqest_memory"), file.meant("mine")) == ("request_memory", "")


def test_a_failing_item_is_named(alice) -> None:
    items = "\n".join("oops" if number == 7654 else str(number) for number in range(10_000))
    text = f"executable = /bin/true\npriority = $(p)\nqueue p from (\n{items}\n)\n"
    with pytest.raises(SubmitError) as failure:
        alice.jobs(text)
    assert failure.value.report == (
        "ERROR: priority=oops is invalid, must eval to an integer.\n"
        "ERROR: in item 7655 of the queue statement on line 3: oops\n"
    )


def test_protected_urls_have_lists_of_their_own(alice) -> None:
    told = UserMap("osdf /secret Tapes\nosdf /secret/mine *\nosdf /bad a-b\n", lambda path: "", prefixes=True)
    alice.settings = alice.settings.changed(protected_urls=told.output)
    text = "executable = /bin/true\ntransfer_input_files = here, OSDF:///open/x, $(f)\nqueue f from (\n"
    items = "osdf:///secret/a, osdf:///secret/mine/b, osdf:///bad/c", "osdf:///secret/mine/d", "e"
    (draft,) = clusters_of(alice.parse(text + "\n".join(items) + "\n)\n"))
    built = draft.build(1, "a@b", "a", alice.options)
    names = "TransferInput", "TransferInputFrom_TAPES", "TransferInputFrom_LOCAL", "TransferQueueInputList"
    first = dict(built.ad_items)
    assert [first[name] for name in names] == [
        '"here,OSDF:///open/x,osdf:///bad/c"', '"osdf:///secret/a"', '"osdf:///secret/mine/b"',
        "{ TransferInputFrom_LOCAL,TransferInputFrom_TAPES }",
    ]  # fmt: skip
    assert [[dict(own).get(name) for name in names] for own in built.procs[1:]] == [
        ['"here,OSDF:///open/x"', '""', '"osdf:///secret/mine/d"', "{ TransferInputFrom_LOCAL }"],
        ['"here,OSDF:///open/x,e"', '""', '""', "{  }"],
    ]
    assert "HasFileTransferPluginMethods" in first["Requirements"]


def test_a_common_image_is_fetched_beside_catalogs_that_the_job_names(alice) -> None:
    text = "executable = /bin/true\ncontainer_image = osdf:///x.sif\ncontainer_is_common = true\n"
    text += "transfer_input_files = $(f)\n"
    named = text + 'MY.CommonInputCatalogs = "A"\nMY._x_catalog_A = "a"\nqueue f in (one two)\n'
    first, second = alice.jobs(named)
    catalog = first["CommonInputCatalogs"].strip('"').removeprefix("A, ")
    assert first[f"_x_catalog_{catalog}"] == '"osdf:///x.sif"'
    assert second["CommonInputCatalogs"] == first["CommonInputCatalogs"]
    (alone,) = alice.jobs(text + "f = one\nqueue\n")
    assert alone["CommonInputCatalogs"] == f'"{catalog}"'


def test_a_common_image_may_have_a_name_that_is_no_utf8(alice) -> None:
    text = "executable = /bin/true\ncontainer_image = /i\udce9.sif\ncontainer_is_common = true\nqueue\n"
    (job,) = alice.jobs(text)
    catalog = job["CommonInputCatalogs"].strip('"')
    assert catalog == "container_" + hashlib.sha256(b"/i\xe9.sif").hexdigest()[:8]
    assert job[f"_x_catalog_{catalog}"] == '"/i\udce9.sif"'
