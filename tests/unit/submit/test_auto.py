"""request_memory = auto and request_disk = auto: what such a job says, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from condor_py.lang.submit.errors import SubmitError

BASE = "executable = /bin/true\n"


def _job(alice: Any, text: str) -> dict[str, str]:
    (job,) = alice.jobs(f"{BASE}{text}\nqueue\n")
    return job


@pytest.mark.parametrize("word", ["auto", "Auto", "  AUTO  "])
def test_the_request_is_left_to_the_schedd(alice: Any, word: str) -> None:
    job = _job(alice, f"request_memory = {word}\nrequest_disk = {word}")
    assert (job["RequestMemory"], job["AutoRequestMemory"]) == ("AutoRequestMemory", "128")
    assert job["RequestDisk"] == "AutoRequestDisk"
    assert "TransferInputSizeMB" in job["AutoRequestDisk"]
    assert job["MemoryRequestSource"] == '"default: too few like jobs have ended"'
    assert "TARGET.Memory >= RequestMemory" in job["Requirements"]


def test_it_is_tried_again_with_more_as_often_as_the_site_says(alice: Any) -> None:
    alice.settings = alice.settings.changed(auto_retries=2, auto_memory_max=4096)
    job = _job(alice, "request_memory = auto")
    assert job["TransformOnEvict"] == '"RequestMemory"'
    assert (job["NextRequestMemory"], job["MaxRequestMemory"]) == ("RequestMemory * 3", "4096")
    assert "(MemoryRequestRetries ?: 0) < 2 && RequestMemory < MaxRequestMemory" in job["TransformBody_RequestMemory"]


@pytest.mark.parametrize(
    ("text", "most", "step", "tries"),
    [
        ("retry_request_memory_max = 2G", "2048", "RequestMemory * 3", 4),
        ("retry_request_memory_max = 9G", "4096", "RequestMemory * 3", 4),  # the site allows no more
        ("retry_request_memory_increase = 1G", "4096", "RequestMemory + 1024", 4),
        ("retry_request_memory_increase = RequestMemory * 3 / 2", "4096", "RequestMemory * 3 / 2", 4),
        ("auto_request_retries = 1", "4096", "RequestMemory * 3", 1),
        ("auto_request_retries = 50", "4096", "RequestMemory * 3", 4),
    ],
)
def test_the_user_may_ask_for_less(alice: Any, text: str, most: str, step: str, tries: int) -> None:
    alice.settings = alice.settings.changed(auto_memory_max=4096)
    job = _job(alice, f"request_memory = auto\n{text}")
    assert (job["MaxRequestMemory"], job["NextRequestMemory"]) == (most, step)
    assert f"< {tries} &&" in job["TransformBody_RequestMemory"]


def test_steps_of_ones_own(alice: Any) -> None:
    for text in ("request_memory = auto, 1G, 2G", "request_memory = auto\nretry_request_memory = 1G, 2G"):
        job = _job(alice, text)
        assert (job["RequestMemory"], job["RetryRequestMemory"]) == ("AutoRequestMemory", "{ 1024,2048 }")


def test_no_retries(alice: Any) -> None:
    job = _job(alice, "request_memory = auto\nauto_request_retries = 0")
    assert "TransformOnEvict" not in job


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("request_cpus = auto", "request_cpus = auto is not supported"),
        ("request_gpus = Auto", "request_gpus = auto is not supported"),
        ("universe = scheduler\nrequest_memory = auto", "needs a job that runs in one slot"),
        ("universe = parallel\nmachine_count = 2\nrequest_disk = auto", "needs a job that runs in one slot"),
        ("request_memory = auto\nauto_request_retries = -1", "must not be negative"),
        ("request_memory = auto\nauto_request_retries = x", "auto_request_retries=x is invalid"),
        ("request_memory = auto\nretry_request_memory_max = much", "retry_request_memory_max=much is invalid"),
        ("request_memory = auto\nretry_request_memory_max = -1", "retry_request_memory_max=-1 is invalid"),
        ("request_memory = auto\nretry_request_memory_increase = 0", "retry increment"),
        ("request_memory = auto\nretry_request_memory_increase = Cpus", "retry increment"),
        ("request_memory = auto, ((", "is invalid"),
    ],
)
def test_what_cannot_be_done_is_one_line(alice: Any, text: str, words: str) -> None:
    with pytest.raises(SubmitError) as raised:
        _job(alice, text)
    assert words in str(raised.value)


def test_a_site_may_find_all_requests_that_jobs_do_not_give(alice: Any) -> None:
    alice.settings = alice.settings.changed(auto_requests=True)
    job = _job(alice, "request_memory = 1G")
    assert (job["RequestMemory"], job["RequestDisk"]) == ("1024", "AutoRequestDisk")
    assert _job(alice, "")["RequestMemory"] == "AutoRequestMemory"
    assert "AutoRequestMemory" not in _job(alice, "universe = local")
    assert "AutoRequestMemory" not in _job(alice, "universe = vm\nvm_type = kvm\nvm_memory = 64\nvm_disk = a:b:w:raw")


@pytest.mark.parametrize("text", ["docker\ndocker_image = debian", "container\ncontainer_image = a.sif", "java"])
def test_other_jobs_with_a_slot(alice: Any, text: str) -> None:
    alice.write("a.sif", "")
    job = _job(alice, f"universe = {text}\narguments = Main\nrequest_memory = auto")
    assert job["RequestMemory"] == "AutoRequestMemory"


def test_each_item_may_choose(alice: Any) -> None:
    jobs = alice.jobs(f"{BASE}request_memory = $(much)\nqueue much in (auto 256M auto)\n")
    assert [job["RequestMemory"] for job in jobs] == ["AutoRequestMemory", "256", "AutoRequestMemory"]
