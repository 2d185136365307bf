"""GPUs from discovery to the job, with pretended devices (tests/gpu/run does it with real ones)."""

from __future__ import annotations

from pool import PersonalPool, wait_for

UUIDS = {"GPU-a0223334-4445-5667-899a-abbccddeeff0", "GPU-c2223334-4445-5667-899a-abbccddeeff0"}


def test_jobs_get_the_devices_they_ask_for(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob(
        "MACHINE_RESOURCE_INVENTORY_GPUs", "$(LIBEXEC)/condor_gpu_discovery -simulate:4,1,1,1,4,1 -properties -extra"
    )
    pool.start()
    shown = pool.tool("condor_status", "-af", "TotalGPUs", "GPUs", "DetectedGPUs").stdout
    assert shown.startswith("3 3 GPU-a0223334, GPU-b1223334, GPU-c2223334")
    pool.submit(
        "executable = /usr/bin/env\nrequest_gpus = 2\ngpus_minimum_capability = 7.5\noutput = o\nlog = job.log\nqueue\n"
    )
    pool.wait("job.log")
    seen = dict(line.split("=", 1) for line in (pool.work / "o").read_text().splitlines())
    assert set(seen["CUDA_VISIBLE_DEVICES"].split(",")) == UUIDS
    assert set(seen["NVIDIA_VISIBLE_DEVICES"].split(",")) == UUIDS
    assert set(seen["_CONDOR_AssignedGPUs"].split(",")) == {"GPU-a0223334", "GPU-c2223334"}
    pool.submit("executable = /usr/bin/env\noutput = p\nlog = second.log\nqueue\n")
    pool.wait("second.log")
    assert "CUDA_VISIBLE_DEVICES=10000\n" in (pool.work / "p").read_text()
    wait_for(lambda: pool.tool("condor_status", "-af", "GPUs").stdout.split() == ["3"], "the devices are free again")
