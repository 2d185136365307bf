"""What condor_submit says, in full, of commands that do something else than they seem to say."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from condor_py.lang.submit.build import BuildOptions, clusters_of

TOLD: dict[str, dict[str, list[str]]] = tomllib.loads(Path(__file__).with_name("doubtful.toml").read_text())
SCRIPTS = {
    "script": "#!/nowhere/python -u\n",
    "good": "#!/bin/sh\n",
    "env": "#! /usr/bin/env python\n",
    "rel": "#!nowhere\n",
    "plain": "text /nowhere\n",
    "bare": "#!\n",
}


def told(alice: Any, text: str) -> list[str]:
    """The warnings about commands, with the directory of the submitter as ``{here}``."""
    file = alice.parse(f"executable = /bin/true\n{text}\nqueue\n")
    for draft in clusters_of(file):
        list(draft.make(1, alice.options).own)
    here = str(alice.directory)
    return [line.removeprefix("WARNING: ").replace(here, "{here}") for line in file.messages.warnings().splitlines()]


@pytest.fixture
def place(alice: Any) -> Any:
    """A submitter with a directory, a file and programs."""
    alice.write("dir/x", "x")
    alice.write("file", "x")
    for name, text in SCRIPTS.items():
        alice.write(name, text, mode=0o755)
    return alice


@pytest.mark.parametrize("group", TOLD)
def test_each_value_that_is_hardly_meant_is_named_and_no_other(place: Any, group: str) -> None:
    assert {text: told(place, text) for text in TOLD[group]} == TOLD[group]


GROUPS = ("group_physics", "group_bio")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("accounting_group = group_bi", "group_bi"),
        ("accounting_group = sub.group_bio", "sub.group_bio"),
        ("accounting_group = Group_Bio.sub.x", None),
        ("accounting_group = group_bio", None),
        ("accounting_group = nice-user", None),
        ("nice_user = true", None),
        ("accounting_group_user = bob", None),
    ],
)
def test_a_group_counts_with_its_subgroups(alice: Any, text: str, found: str | None) -> None:
    alice.set(groups=GROUPS)
    said = f"accounting_group = {found}: GROUP_NAMES has no such group; the job counts for no group"
    assert told(alice, text) == ([] if found is None else [said])
    alice.set(groups=())
    assert told(alice, text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("input = none", []),
        ("output = none/o", []),
        ("initialdir = dir\nexecutable = script", []),
        (
            "aws_access_key_id_file = file\naws_secret_access_key_file = {here}/file",
            ["aws_access_key_id_file = file: a spooled job finds this file only by its full path"],
        ),
    ],
)
def test_files_of_a_spooled_job_are_not_looked_for(place: Any, text: str, found: list[str]) -> None:
    place.options = BuildOptions(user="alice", remote=True)
    assert told(place, text.replace("{here}", str(place.directory))) == found


def test_only_the_first_job_is_looked_at(alice: Any) -> None:
    file = alice.parse("executable = /bin/true\nrequest_cpus = $(x)\nqueue x in (0 -1)\n")
    (draft,) = clusters_of(file)
    assert len(list(draft.make(1, alice.options).own)) == 2
    assert file.messages.warnings() == "WARNING: request_cpus = 0: a job needs more than 0\n"


def test_an_attribute_of_another_command_may_be_an_expression(alice: Any) -> None:
    said = ["job_machine_attrs: 5b is not the name of an attribute"]
    assert told(alice, '+JobMachineAttrs = strcat("A,", "5b")') == said
    assert told(alice, '+EmailAttributes = strcat("A,", "B")') == []


def test_a_variable_of_the_environment_may_have_a_small_name(alice: Any) -> None:
    alice.env["mine"] = "1"
    assert told(alice, "getenv = mine") == []
    said = "getenv = thine: this is neither True nor False, and the environment has no variable thine"
    assert told(alice, "getenv = thine") == [said]


def test_a_job_set_has_a_name_and_no_other_attributes(alice: Any) -> None:
    alice.set(use_jobsets=True)
    said = "JOBSET.Color: it does nothing here: the ad of a job set has its name and counts of its jobs alone"
    assert told(alice, 'JOBSET.Name = mine\nJOBSET.Color = "red"') == [said]
    assert told(alice, "jobset = mine") == []


def test_a_pool_without_job_sets_is_named(alice: Any) -> None:
    said = "JobSetName: this pool has no job sets (USE_JOBSETS is false); the jobs have the name all the same"
    assert told(alice, "jobset = mine") == [said]


def unused(alice: Any, text: str) -> list[str]:
    """What is said of lines that no job has asked for."""
    file = alice.parse(f"executable = /bin/true\n{text}\nqueue\n")
    for draft in clusters_of(file):
        list(draft.make(1, alice.options).own)
    return "".join(file.unused().values()).splitlines()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1", "the line 'x = 1' was unused by condor_submit. Is it a typo?"),
        ("vm_memory = 5", "the line 'vm_memory = 5' does nothing: it needs universe = vm"),
        ("universe = vm\nvm_memory = 5\nvm_disk = a:b:w",
         "the line 'vm_disk = a:b:w' was unused by condor_submit. Is it a typo?"),
        ("machine_count = 5", "the line 'machine_count = 5' does nothing: it needs universe = parallel"),
        ("node_count = 5", "the line 'node_count = 5' does nothing: it needs universe = parallel"),
        ("grid_resource = batch pbs", "the line 'grid_resource = batch pbs' does nothing: it needs universe = grid"),
        ("batch_queue = q", "the line 'batch_queue = q' does nothing: it needs universe = grid and grid_resource ="
         " batch"),
        ("arc_rte = q", "the line 'arc_rte = q' does nothing: it needs universe = grid and grid_resource = arc"),
        ("azure_image = q", "the line 'azure_image = q' does nothing: it needs universe = grid and grid_resource ="
         " azure"),
        ("gce_image = q", "the line 'gce_image = q' does nothing: it needs universe = grid and grid_resource = gce"),
        ("ec2_ami_id = q", "the line 'ec2_ami_id = q' does nothing: it needs universe = grid and grid_resource = ec2"),
        ("cloud_label_names = q", "the line 'cloud_label_names = q' does nothing: it needs universe = grid and"
         " grid_resource = gce"),
        ("xen_kernel = q", "the line 'xen_kernel = q' does nothing: it needs universe = vm"),
        ("require_gpus = q", "the line 'require_gpus = q' does nothing: it needs request_gpus"),
        ("gpus_minimum_memory = 5", "the line 'gpus_minimum_memory = 5' does nothing: it needs request_gpus"),
        ("retry_request_disk = 5G", "the line 'retry_request_disk = 5G' does nothing: it needs request_disk, a number"),
        ("cron_window = 5", "the line 'cron_window = 5' does nothing: it needs deferral_time, or a crontab such as"
         " cron_hour"),
        ("deferral_window = 5", "the line 'deferral_window = 5' does nothing: it needs deferral_time, or a crontab such"
         " as cron_hour"),
        ("tool_daemon_args = 5", "the line 'tool_daemon_args = 5' does nothing: it needs tool_daemon_cmd"),
        ("suspend_job_at_exec = true", "the line 'suspend_job_at_exec = true' does nothing: it needs tool_daemon_cmd"),
        ("interactive_args = 5", "the line 'interactive_args = 5' does nothing: it needs condor_submit -interactive"),
        ("container_service_names = a", "the line 'container_service_names = a' does nothing: it needs a"
         " container_image or a docker_image"),
        ("vm_no_such_command = 5", "the line 'vm_no_such_command = 5' was unused by condor_submit. Is it a typo?"),
        ("retry_request_disk_max = 5",
         "the line 'retry_request_disk_max = 5' was unused by condor_submit. Is it a typo?"),
        ("request_memory = 5", None),
        ("JOB = 5\nRETRY = 5\nDAG_STATUS = 5\nFAILED_COUNT = 5", None),
    ],
)  # fmt: skip
def test_a_line_that_counts_for_nothing_is_named_with_what_it_needs(alice: Any, text: str, said: str | None) -> None:
    assert unused(alice, text) == ([] if said is None else [said])
