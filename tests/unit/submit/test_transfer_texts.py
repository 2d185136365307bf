"""What is said of contradictions about file transfer, and the lists of what travels."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from condor_py.lang.submit.build import BuildOptions, clusters_of
from condor_py.lang.submit.errors import SubmitError
from condor_py.lang.submit.services import requests, with_handles


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("should_transfer_files = perhaps", "invalid value (perhaps) for ShouldTransferFiles. Please either specify"
         " YES, NO, or IF_NEEDED and try again."),
        ("when_to_transfer_output = perhaps", "invalid value (perhaps) for WhenToTransferOutput. Please either specify"
         " ON_EXIT, or ON_EXIT_OR_EVICT and try again."),
        ("should_transfer_files = no\ntransfer_input_files = a", "you specified files you want Condor to transfer via"
         ' "transfer_input_files", but you disabled should_transfer_files.'),
        ("should_transfer_files = no\ntransfer_output_files = a", "you specified files you want Condor to transfer via"
         ' "transfer_output_files", but you disabled should_transfer_files.'),
        ("should_transfer_files = no\ntransfer_output_files = a\ntransfer_input_files = b", "you specified files you"
         ' want Condor to transfer via "transfer_input_files" and "transfer_output_files", but you disabled'
         " should_transfer_files."),
        ("should_transfer_files = no\nwhen_to_transfer_output = on_exit", "WhenToTransferOutput specified as on_exit"
         " yet ShouldTransferFiles defined as no. Please remove this contradiction from your submit file and try"
         " again."),
        ("should_transfer_files = Yes\nwhen_to_transfer_output = None", "WhenToTransferOutput specified as None yet"
         " ShouldTransferFiles defined as Yes. Please remove this contradiction from your submit file and try again."),
        ("should_transfer_files = if_needed\nwhen_to_transfer_output = on_exit_or_evict", '"when_to_transfer_output ='
         ' ON_EXIT_OR_EVICT" and "should_transfer_files = IF_NEEDED" are incompatible. The behavior of these two'
         " settings together would produce incorrect file access in some cases. Please decide which one of those two"
         ' settings you\'re more interested in. If you really want "IF_NEEDED", set "when_to_transfer_output ='
         ' ON_EXIT". If you really want "ON_EXIT_OR_EVICT", please set "should_transfer_files = YES". After you have'
         " corrected this incompatibility, please try running condor_submit again."),
        ("should_transfer_files = no\ntransfer_executable = true", "You explicitly requested that the executable be"
         " transfered, but for this to work, you must enable Condor's file transfer functionality. You need to define"
         ' either: "when_to_transfer_output = ON_EXIT" or "when_to_transfer_output = ON_EXIT_OR_EVICT". Optionally, you'
         ' can define "should_transfer_files = IF_NEEDED" if you do not want any files to be transfered if the job'
         " executes on a machine in the same FileSystemDomain. See the Condor manual for more details."),
        ("universe = vm\nvm_type = kvm\nvm_memory = 5\nvm_disk = a:b:w\nvm_checkpoint = true\nvm_networking = true",
         "You explicitly requested both VM checkpoint and VM networking. However, VM networking is currently conflict"
         " with VM checkpoint. If you still want to use both VM networking and VM checkpoint, you explicitly must"
         ' define "when_to_transfer_output = ON_EXIT_OR_EVICT"'),
    ],
)  # fmt: skip
def test_contradictions_are_told_in_lines_of_a_terminal(alice: Any, lines: str, said: str) -> None:
    with pytest.raises(SubmitError) as caught:
        alice.job(lines)
    report = caught.value.report
    assert " ".join(report.split()) == f"ERROR: {said}"
    rows = report.split("\n")
    assert rows[0] == ""
    assert rows[-1] == ""
    for number, (row, following) in enumerate(pairwise(rows[1:])):
        assert len(row.rstrip()) < 78
        full = len(row) + len(following.split(" ")[0]) + (number == 0)  # HTCondor counts the first line's break
        assert not following.strip() or full >= 78, "a word more would have fitted"


def test_urls_of_protected_places_are_listed_by_queue(alice: Any) -> None:
    places = {("https", "a/1"): "q1", ("https", "b/2"): "Q_2", ("s", "c"): "*", ("s", "d"): "no-name", ("s", "e"): None}

    def queue_of(scheme: str, place: str) -> str | None:
        return places.get((scheme, place))

    alice.set(protected_urls=queue_of)
    job = alice.job("transfer_input_files = x, HTTPS://a/1, https://b/2, s://c, s://d, s://e, https://a/1, /f")
    assert job["TransferInput"] == '"x,s://d,s://e,/f"'
    assert job["TransferInputFrom_Q1"] == '"HTTPS://a/1,https://a/1"'
    assert job["TransferInputFrom_Q_2"] == '"https://b/2"'
    assert job["TransferInputFrom_LOCAL"] == '"s://c"'
    assert job["TransferQueueInputList"] == "{ TransferInputFrom_LOCAL,TransferInputFrom_Q1,TransferInputFrom_Q_2 }"
    assert job["WantTransferPluginMethods"] == '"HTTPS,s"'
    assert "TransferQueueInputList" not in alice.job("transfer_input_files = x, s://e")


def test_a_job_without_protected_places_says_so_after_one_that_had_some(alice: Any) -> None:
    alice.set(protected_urls=lambda scheme, place: place.strip("/") or None)
    jobs = alice.jobs("executable = /bin/true\ntransfer_input_files = $(x)\nqueue x in (s://a s://b y s://a)\n")
    assert [(job["TransferInput"], job["TransferInputFrom_A"]) for job in jobs] == [
        ('""', '"s://a"'), ('""', '""'), ('"y"', '""'), ('""', '"s://a"'),
    ]  # fmt: skip
    assert [job["TransferQueueInputList"] for job in jobs] == [
        "{ TransferInputFrom_A }", "{ TransferInputFrom_B }", "{  }", "{ TransferInputFrom_A }",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("knobs", "lines", "attributes"),
    [
        ({}, "container_image = docker://a", {"ContainerImageSource": '"docker"', "TransferInput": None}),
        ({}, "container_image = oras://a", {"ContainerImageSource": '"oras"', "TransferInput": None}),
        ({}, "container_image = https://a/b.sif",
         {"ContainerImageSource": '"https"', "TransferInput": '"https://a/b.sif"', "ContainerImage": '"b.sif"',
          "ContainerImageFullPath": '"https://a/b.sif"'}),
        ({}, "container_image = d/e/", {"ContainerImageSource": '"cedar"', "TransferInput": '"d/e/"',
                                       "ContainerImage": '"e"', "ContainerImageFullPath": '"d/e/"'}),
        ({}, "container_image = d/e\ntransfer_container = false",
         {"ContainerImageSource": '"local"', "TransferInput": None, "ContainerImage": '"d/e"'}),
        ({}, "container_image = /cvmfs/e", {"ContainerImageSource": '"local"', "TransferInput": None}),
        ({}, "docker_image = a", {"ContainerImageSource": None, "TransferInput": None}),
        ({}, "container_image = e.sif\ntransfer_input_files = x",
         {"TransferInput": '"x,e.sif"', "ContainerImageSource": '"cedar"'}),
        ({"common_containers": "e.*"}, "container_image = e.sif\ntransfer_input_files = x",
         {"TransferInput": '"x"', "ContainerImage": '"e.sif"', "ContainerImageFullPath": '"e.sif"'}),
        ({}, "transfer_common_input = a , b,,c", {"CommonInputFiles": '"a,b,c"'}),
        ({}, 'transfer_common_input = "a , b"', {"CommonInputFiles": '"a,b"'}),
        ({}, "public_input_files = a , b\nshould_transfer_files = no", {"PublicInputFiles": None}),
        ({}, 'transfer_input_files = "a , b"', {"TransferInput": '"a,b"'}),
        ({}, 'transfer_output_files = ""', {"TransferOutput": '""'}),
        ({}, 'transfer_output_files = "a , b"', {"TransferOutput": '"a,b"'}),
        ({}, 'transfer_output_remaps = "a=b"', {"TransferOutputRemaps": '"a=b"'}),
        ({}, 'transfer_output_remaps = ""', {"TransferOutputRemaps": None}),
    ],
)  # fmt: skip
def test_what_travels(alice: Any, knobs: dict[str, Any], lines: str, attributes: dict[str, str | None]) -> None:
    alice.set(**knobs)
    job = alice.job(lines)
    assert {name: job.get(name) for name in attributes} == attributes


def test_a_common_image_has_a_catalog_of_its_own(alice: Any) -> None:
    here = str(alice.directory)
    job = alice.job("container_image = d/e.sif\ncontainer_is_common = true")
    (name,) = [name for name in job if name.startswith("_x_catalog_")]
    assert job[name] == '"d/e.sif"'
    assert job["CommonInputCatalogs"] == f'"{name.removeprefix("_x_catalog_")}"'
    same = alice.job(f"container_image = {here}/d/e.sif\ncontainer_is_common = true")
    assert name in same
    other = alice.job("container_image = d/f.sif\ncontainer_is_common = true")
    assert name not in other
    listed = alice.job('container_image = d/e.sif\ncontainer_is_common = true\nMY.CommonInputCatalogs = "mine"')
    assert listed["CommonInputCatalogs"] == f'"mine, {name.removeprefix("_x_catalog_")}"'
    assert (
        alice.job("container_image = d/e.sif\ncontainer_is_common = true\nshould_transfer_files = yes")[
            "ContainerImageSource"
        ]
        == '"cedar"'
    )


@pytest.mark.parametrize(
    ("lines", "out", "remaps"),
    [
        ("output = a/o", '"_condor_stdout"', '"_condor_stdout=a/o"'), ("output = o", '"o"', None),
        ("output = /dev/null", '"/dev/null"', None), ("output = a/o\nstream_output = true", '"a/o"', None),
        ("output = a/b;c=d\\e", '"_condor_stdout"', '"_condor_stdout=a/b\\;c\\=d\\\\e"'),
        ('output = a/o\ntransfer_output_remaps = "x=y"', '"_condor_stdout"', '"x=y;_condor_stdout=a/o"'),
    ],
)  # fmt: skip
def test_output_of_a_spooled_job(alice: Any, lines: str, out: str, remaps: str | None) -> None:
    alice.options = BuildOptions(user="alice", remote=True)
    job = alice.job(lines)
    assert (job["Out"], job.get("TransferOutputRemaps")) == (out, remaps)


TOKENS = (
    "use_oauth_services = b, A, c, d\nA_oauth_permissions = read\nB_OAUTH_PERMISSIONS_h1 = write\n"
    'b_oauth_resource_h2 = https://x\nb_oauth_options_H2 = o\nx_oauth_permissions = no\n+d_oauth_permissions = "no"\n'
)


def macros(alice: Any, text: str) -> Any:
    """The macros of a description."""
    file = alice.parse(f"executable = /bin/true\n{text}queue\n")
    list(clusters_of(file)[0].make(1, alice.options).own)
    return file.macros(file.statements[0].table)


def test_tokens_of_services(alice: Any) -> None:
    assert with_handles(["b", "A", "c", "d"], macros(alice, TOKENS)) == ["A", "B*h1", "b*h2", "c", "d"]
    assert alice.job(TOKENS)["OAuthServicesNeeded"] == '"A,B*h1,b*h2,c,d"'
    assert with_handles([], macros(alice, TOKENS)) == []


def test_requests_for_tokens_of_services(alice: Any) -> None:
    def knob(**values: str) -> Callable[[str], str]:
        return lambda name: values.get(name, "")

    table = macros(alice, TOKENS)
    assert requests(
        ["A", "b*h2", "c"], table, knob(c_DEFAULT_SCOPES="s", c_DEFAULT_AUDIENCE="w", A_DEFAULT_SCOPES="z")
    ) == [
        {"Service": "A", "Scopes": "read"},
        {"Service": "b", "Handle": "h2", "Audience": "https://x", "Options": "o"},
        {"Service": "c", "Scopes": "s", "Audience": "w"},
    ]
    with pytest.raises(SubmitError) as caught:
        requests(["c"], table, knob(c_USER_DEFINE_OPTIONS="REQUIRED"))
    assert caught.value.report == "You must specify c_OAUTH_OPTIONS to use OAuth service c."
    with pytest.raises(SubmitError) as caught:
        requests(["b*h9"], table, knob(b_USER_DEFINE_SCOPES="R"))
    assert caught.value.report == "You must specify b_OAUTH_PERMISSIONS_h9 to use OAuth service b."
    assert requests(["c"], table, knob(c_USER_DEFINE_OPTIONS="OPTIONAL")) == [{"Service": "c"}]
