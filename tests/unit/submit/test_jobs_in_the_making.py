"""Credentials, sizes, macros, interactive jobs and series of jobs: what ends up in the ads."""

from __future__ import annotations

import os
import time
from typing import Any

import pytest

from condor_py.lang.submit.build import BuildOptions, clusters_of
from condor_py.lang.submit.errors import JobFailure, Messages, ParseFailure, SubmitError
from condor_py.lang.submit.job import full_path, is_url, split_commas, split_list, strip_quotes


@pytest.mark.parametrize(
    ("env", "lines", "file"),
    [
        ("/tok", "use_scitokens = true", "/tok"), ("/tok", "use_scitokens = auto", "/tok"),
        ("/tok", "use_scitokens = AUTO", "/tok"), ("", "use_scitokens = auto", None),
        ("/tok", "use_scitokens = false", None), ("/tok", "", None), ("/tok", "use_scitoken = 1", "/tok"),
        ("/tok", "scitokens_file = mine", "{here}/mine"), ("", "scitokens_file = /mine", "/mine"),
        ("/tok", "use_scitokens = auto\nscitokens_file = /mine", "/mine"),
        ("", "use_scitokens = auto\nscitokens_file = /mine", "/mine"),
        ("/tok", "use_scitokens = false\nscitokens_file = /mine", None),
        ("", "use_scitokens = true\nscitokens_file = /mine", "/mine"), ("/a//b", "use_scitokens = true", "/a/b"),
    ],
)  # fmt: skip
def test_the_token_of_a_job(alice: Any, env: str, lines: str, file: str | None) -> None:
    if env:
        alice.env["BEARER_TOKEN_FILE"] = env
    expected = None if file is None else f'"{file}"'.replace("{here}", str(alice.directory))
    assert alice.job(lines).get("ScitokensFile") == expected


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("use_scitokens = true", "No Scitokens filename specified. Expected either scitokens_file command or the"
         " BEARER_TOKEN_FILE environment variable to be set.\n"),
        ("use_scitokens = maybe", "use_scitokens error. Value should be true, false, or auto.\n"),
    ],
)  # fmt: skip
def test_a_token_that_is_not_named(alice: Any, lines: str, said: str) -> None:
    with pytest.raises(SubmitError) as caught:
        alice.job(lines)
    assert caught.value.report == f"ERROR: {said}"


@pytest.mark.parametrize(
    ("lines", "kb"),
    [
        ("transfer_input_files = one", 1), ("transfer_input_files = full", 1), ("transfer_input_files = more", 2),
        ("transfer_input_files = one, more", 3), ("transfer_input_files = tree", 3),
        ("transfer_input_files = tree/", 3), ("transfer_input_files = none", 0),
        ("transfer_input_files = https://x", 0),
        ("transfer_input_files = one\ninput = more", 3), ("transfer_input_files = empty", 0), ("input = more", 2),
        ("input = more\ntransfer_input = false", 0), ("transfer_input_files = one\nshould_transfer_files = yes", 1),
        ("container_image = more", 2), ("container_image = tree\ntransfer_input_files = one", 4),
        ("tool_daemon_cmd = one\ntool_daemon_input = more", 3),
        ("tool_daemon_cmd = one\ntransfer_input_files = one", 1),
    ],
)  # fmt: skip
def test_sizes_of_what_travels(alice: Any, lines: str, kb: int) -> None:
    """Each file counts in KB rounded up, a directory as one."""
    for name, size in (("one", 1), ("full", 1024), ("more", 1025), ("empty", 0), ("tree/a", 1024), ("tree/b/c", 1025)):
        alice.write(name, "x" * size)
    os.symlink("nowhere", alice.directory / "tree" / "dangling")
    job = alice.job(lines)
    program = int(job["ExecutableSize"])
    assert program > 0
    assert int(job["DiskUsage"]) == program + kb
    assert int(job["TransferInputSizeMB"]) == -(-(program + kb) // 1024)
    assert job["ImageSize"] == job["ExecutableSize"]


@pytest.mark.parametrize(
    ("resource", "kb"),
    [
        ("ec2 https://x/\nec2_access_key_id = FROM INSTANCE\nec2_ami_id = a", "0"),
        ("gce https://x a b c\ngce_image = i\ngce_machine_type = m", "0"), ("batch pbs", "2"), ("condor a b", "2"),
        ("azure s\nazure_image = i\nazure_location = l\nazure_size = s\nazure_admin_username = u\nazure_admin_key = k",
         "0"),
    ],
)  # fmt: skip
def test_the_executable_of_a_cloud_job_is_only_a_name(alice: Any, resource: str, kb: str) -> None:
    alice.write("tag", "x" * 2000)
    (job,) = alice.jobs(f"universe = grid\nexecutable = tag\ngrid_resource = {resource}\nqueue\n")
    assert job["ExecutableSize"] == kb


def test_the_program_is_measured_once_a_cluster(alice: Any) -> None:
    for name, size in (("p0", 10), ("p1", 5000)):
        alice.write(name, "x" * size, mode=0o755)
    first, second = alice.jobs("executable = p$(Process)\nqueue 2\n")
    assert (first["ExecutableSize"], second["ExecutableSize"]) == ("1", "1")


def test_a_message_has_its_word_and_ends_its_line() -> None:
    messages = Messages()
    messages.warn("a")
    messages.warn("\nb\n")
    assert messages.warnings() == "WARNING: a\n\nWARNING: b\n"
    assert messages.warnings() == ""
    messages.warn("first\n")
    failure = messages.fail("second\n")
    assert isinstance(failure, JobFailure)
    assert failure.report == "ERROR: second\nWARNING: first\n"
    assert messages.drain() == ""
    assert ParseFailure("f", 3, "why").report == (
        "\nERROR: on Line 3 of f: why\n\nERROR: Failed to parse command file (line 3).\n"
    )
    assert ParseFailure("f", 3, "", closing="end").report == "\nERROR: on Line 3 of f: \n\nERROR: end\n"


def test_small_texts() -> None:
    assert [full_path(name, "/d") for name in ("a", "/a", "a//b", "//a", "../a", "")] == [
        "/d/a", "/a", "/d/a/b", "/a", "/d/../a", "/d/",
    ]  # fmt: skip
    urls = ("http://x", "a+b.c-d2://x", "A://x")
    none = ("http:/x", "http://", "://x", "1a://x", "a_b://x", "a b://x", "", "x", "http")
    assert [is_url(name) for name in (*urls, *none)] == [True] * 3 + [False] * 9
    assert [strip_quotes(text) for text in ('"a"', ' "a" ', 'a"', '"a', '"', '""', "'a'", '"a"b"', " a ")] == [
        "a", "a", 'a"', '"a', '"', "", "'a'", 'a"b', "a",
    ]  # fmt: skip
    assert split_list(" a, b  c,,d ") == ["a", "b", "c", "d"]
    assert split_commas(" a b, c ,, d ") == ["a b", "c", "d"]


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("arguments = $(x)\nqueue x in (a b)", ["a", "b"]),
        ("y = <$(x)>\narguments = $(y)\nqueue x in (a b)", ["<a>", "<b>"]),
        ("z = 1\ny = $(z)$(x)$(z)\narguments = $(y)$(Process)\nqueue x in (a b)", ["1a10", "1b11"]),
        ("arguments = $(x) $(x)\nqueue x in (a b)", ["a a", "b b"]),
        ("arguments = -$(x:7)\nqueue x in (a b)", ["-a", "-b"]),
        ("arguments = -$(none:7)$(x)\nqueue x in (a b)", ["-7a", "-7b"]),
        ("arguments = $$(Name) $(x)\nqueue x in (a b)", ["$$(Name) a", "$$(Name) b"]),
        ("arguments = $INT(x) $(x)\nqueue x in (1+1 3)", ["2 1+1", "3 3"]),
        ("arguments = $(x)\nw = W\nqueue x in (\n$(w) $(Process)\n)", ["W", "1"]),
        ("arguments = $CHOICE(Process,p,q)\nqueue 2", ["p", "q"]),
        ("arguments = $(Process)\nqueue 3", ["0", "1", "2"]),
        ("arguments = $(PROCID)$(step)$(Row)\nqueue 2 x in (a b)", ["000", "110", "201", "311"]),
        ("submit.arguments = s\narguments = a\nqueue 2", ["s", "s"]),
        ("arguments = a$(DOLLAR)b\nqueue 2", ["a$b", "a$b"]),
        ("arguments = $(ClusterId).$(JobId)\nqueue 2", ["7.7.0", "7.7.1"]),
        ("arguments = $(x$(Process))\nx0 = a\nx1 = b\nqueue 2", ["a", "b"]),
        ("arguments = -$(x)-\nqueue x in (\na\n\nb\n)", ["-a-", "-b-"]),
        ("arguments = -$(y)-\nqueue x,y from (\na b\nc\n)", ["-b-", "--"]),
        ("arguments = $(submit_file) $(IsLinux) $(IsWindows) $(arch) $(opsys)\nqueue", ["job.sub 1 0 X86_64 LINUX"]),
        ("x = 5\narguments = $(x)\nqueue\nx = 6\nqueue", ["5", "6"]),
        ("arguments = $(x)\nqueue x in (a)\nqueue x in (b c)", ["a", "b", "c"]),
    ],
)  # fmt: skip
def test_arguments_of_a_series(alice: Any, text: str, arguments: list[str]) -> None:
    jobs = alice.jobs(f"executable = /bin/true\n{text}\n")
    assert [job["Args"].strip('"') for job in jobs] == arguments


@pytest.mark.parametrize(
    ("lines", "names", "values"),
    [
        ("request_memory = $(x)\nrequirements = true", ["RequestMemory"], [("1",), ("2048",), ("1",)]),
        ("max_retries = $(x)\nhold = $(x) == 2048", ["JobMaxRetries", "JobStatus"],
         [("1", "1"), ("2048", "5"), ("1", "1")]),
        ("+A = MY.B\n+B = $(x)", ["A", "B"], [("MY.B", "1"), ("MY.B", "2048"), ("MY.B", "1")]),
        ("input = i$(x)\noutput = o", ["In", "Out"], [('"i1"', '"o"'), ('"i2048"', '"o"'), ('"i1"', '"o"')]),
        ("cron_hour = $(x)", ["CronHour", "DeferralPrepTime"], [('"1"', "300"), ('"2048"', "300"), ('"1"', "300")]),
        ("image_size = $(x)\n", ["ImageSize"], [("1",), ("2048",), ("1",)]),
        ("accounting_group_user = u$(x)", ["AccountingGroup", "AcctGroupUser"],
         [('"u1"', '"u1"'), ('"u2048"', '"u2048"'), ('"u1"', '"u1"')]),
    ],
)  # fmt: skip
def test_attributes_of_a_series(alice: Any, lines: str, names: list[str], values: list[tuple[str, ...]]) -> None:
    jobs = alice.jobs(f"executable = /bin/true\n{lines}\nqueue x in (1 2048 1)\n")
    assert [tuple(job[name] for name in names) for job in jobs] == values


def test_the_day_of_the_submit(alice: Any) -> None:
    day = time.strftime("%Y %m %d", time.localtime(alice.now))
    job = alice.job("arguments = $(year) $(month) $(day) $(submit_time)")
    assert job["Args"] == f'"{day} {alice.now}"'


def test_a_proxy_is_looked_for_where_the_user_says(alice: Any) -> None:
    alice.env["X509_USER_PROXY"] = "/nowhere/proxy"
    assert "x509userproxy" not in alice.job("")
    assert "x509userproxy" not in alice.job("use_x509userproxy = false")
    for line in ("use_x509userproxy = true", "x509userproxy = none", "use_x509userproxy = true\nx509userproxy = none"):
        with pytest.raises(SubmitError) as caught:
            alice.job(line)
        assert caught.value.report == "ERROR: unable to read proxy file\n"


def test_a_misspelled_command_may_be_a_variable_of_the_queue_statement(alice: Any) -> None:
    file = alice.parse("executable = /bin/true\nqueue request_cpu in (1 2)\n")
    list(clusters_of(file)[0].make(1, alice.options).own)
    said = "WARNING: request_cpu is not a valid submit keyword, did you mean request_cpus?\n"
    assert file.messages.warnings() == said


def test_a_job_has_only_what_differs_from_the_first(alice: Any) -> None:
    text = "executable = /bin/true\nrequest_memory = $(x)\narguments = $(x)\npriority = 3\nqueue x in (5 6 5)\n"
    made = clusters_of(alice.parse(text))[0].make(7, alice.options)
    own = [dict(attributes.values()) for attributes in made.own]
    assert own == [
        {"JobStatus": "1"},
        {"JobStatus": "1", "Args": '"6"', "RequestMemory": "6"},
        {"JobStatus": "1"},
    ]
    assert made.attributes["jobprio"] == ("JobPrio", "3")


def test_interactive_jobs_wait_and_keep_what_was_asked_for(alice: Any) -> None:
    alice.options = BuildOptions(user="alice", interactive=True)
    waiter = "interactive_executable = /bin/sleep\ninteractive_args = "
    job = alice.job(f'{waiter}"180"\narguments = "a b"\nshell = x')
    assert (job["Cmd"], job["OrigCmd"], job["TransferExecutable"]) == ('"/bin/sleep"', '"/bin/sleep"', "false")
    assert (job["Arguments"], job["OrigArguments"]) == ('"180"', '"a b"')
    assert job["JobDescription"] == '"interactive job"'
    old = alice.job(f"{waiter}180 s\narguments = a b\ndescription = mine")
    assert (old["Args"], old["OrigArgs"], old["JobDescription"]) == ('"180 s"', '"a b"', '"mine"')
    mixed = alice.job(f"{waiter}180\narguments = \"a 'b c'\"")
    assert (mixed["Arguments"], mixed["OrigArguments"]) == ('"180"', "\"a b' 'c\"")
    kept = alice.job(f'{waiter}"180"\ntransfer_executable = false\n')
    assert (kept["Cmd"], kept.get("OrigCmd")) == ('"/bin/sleep"', None)
    (bare,) = alice.jobs(f'{waiter}"180"\nqueue 3\n')
    assert (bare["Cmd"], bare.get("OrigCmd"), bare["TransferExecutable"]) == ('"/bin/sleep"', None, "false")
    file = alice.parse(f'executable = /bin/true\n{waiter}"180\nqueue\n')
    list(clusters_of(file)[0].make(1, alice.options).own)
    assert file.messages.warnings() == "WARNING: ignoring invalid interactive_args : Unterminated double-quote.\n"


@pytest.mark.parametrize(
    ("text", "clusters"),
    [
        ("queue 2\nqueue", [3]), ("queue\nuniverse = local\nqueue 2", [1, 2]),
        ("queue\nuniverse = Vanilla\nqueue", [2]), ("JobUniverse = 5\nqueue\nuniverse = 5\nqueue", [2]),
        ("queue\nuniverse = local\nqueue\nuniverse = vanilla\nqueue", [1, 1, 1]), ("queue x in ()", []),
        ("queue x in ()\nqueue 2", [2]), ("queue\nuniverse = local\nqueue x in ()\nuniverse = vanilla\nqueue", [2]),
    ],
)  # fmt: skip
def test_clusters_of_a_description(alice: Any, text: str, clusters: list[int]) -> None:
    drafts = clusters_of(alice.parse(f"executable = /bin/true\n{text}\n"))
    assert [draft.job_count for draft in drafts] == clusters
    assert [len(list(draft.make(1, alice.options).own)) for draft in drafts] == clusters


def test_what_is_called_around_each_job(alice: Any) -> None:
    called: list[object] = []
    options = BuildOptions(
        user="alice",
        before_job=lambda: called.append("before"),
        after_job=lambda cluster, proc, ad, own: called.append((cluster, proc, ad["cmd"][1], dict(own.values()))),
    )
    drafts = clusters_of(alice.parse("executable = /bin/true\narguments = $(x)\nqueue x in (a b)\nqueue x in (a)\n"))
    list(drafts[0].make(9, options).own)
    assert called == [
        "before", (9, 0, '"/bin/true"', {"JobStatus": "1"}),
        "before", (9, 1, '"/bin/true"', {"JobStatus": "1", "Args": '"b"'}),
        "before", (9, 2, '"/bin/true"', {"JobStatus": "1"}),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("priority = $(x)\nqueue x in (1 b)",
         "ERROR: priority=b is invalid, must eval to an integer.\n"
         "ERROR: in item 2 of the queue statement on line 3: b\n"),
        ("priority = $(x)\nqueue x in (b)", "ERROR: priority=b is invalid, must eval to an integer.\n"),
        ("arguments = $(a$(x))\na1 = ok\nab = $(ac)\nac = $(ab)\nqueue x in (1 b)", None),
    ],
)  # fmt: skip
def test_the_item_of_a_job_that_cannot_be_made(alice: Any, text: str, said: str | None) -> None:
    with pytest.raises(SubmitError) as caught:
        alice.jobs(f"executable = /bin/true\n{text}\n")
    if said is None:
        assert caught.value.report.endswith("ERROR: in item 2 of the queue statement on line 6: b\n")
    else:
        assert caught.value.report == said


@pytest.mark.parametrize(("length", "end"), [(1000, ""), (1001, "..."), (5000, "...")])
def test_a_long_expression_is_cut_where_it_is_shown(alice: Any, length: int, end: str) -> None:
    with pytest.raises(SubmitError) as caught:
        alice.job(f"+Long = {'(' * length}")
    assert caught.value.report == f"ERROR: Parse error in expression: \n\tLong = {'(' * min(length, 1000)}{end}\n\t\n"


@pytest.mark.parametrize(
    ("value", "fits"),
    [("2147483646", True), ("2147483647", False), ("-2147483648", True), ("-2147483649", False), ("x", False)],
)
def test_an_exit_code_has_32_bits(alice: Any, value: str, fits: bool) -> None:
    if fits:
        assert alice.job(f"success_exit_code = {value}")["JobSuccessExitCode"] == value
        assert alice.job(f"priority = {value}0")["JobPrio"] == f"{value}0"
        return
    with pytest.raises(SubmitError) as caught:
        alice.job(f"success_exit_code = {value}")
    assert caught.value.report == f"ERROR: success_exit_code={value} is invalid, must eval to an integer.\n"


def test_a_value_that_the_cluster_has_is_not_repeated_and_one_that_comes_back_is(alice: Any) -> None:
    file = alice.parse("executable = /bin/true\n+A = $(x)\n+B = MY.A\nqueue x in (1 2 1)\n")
    own = [dict(own.values()) for own in clusters_of(file)[0].make(7, alice.options).own]
    assert own == [{"JobStatus": "1"}, {"JobStatus": "1", "A": "2"}, {"JobStatus": "1"}]
