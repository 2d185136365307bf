"""Scratch directories that are encrypted: what the machine must have, what is kept where, what a failure leaves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from condor_py.daemons.starter import starterfacts
from condor_py.daemons.starter.starterfacts import place_for, place_of
from condor_py.daemons.starter.startersetup import StarterSetup
from condor_py.lang.classad import ClassAd
from condor_py.machine.run import encryption, machinetools
from condor_py.machine.run.sandbox import Place, create_root, create_scratch, encrypted, why_not_encrypted
from condor_py.model.settings.daemon import LogSettings
from condor_py.model.settings.starter import ScratchVolume, StarterSettings

_RELEASE = os.uname().release


@pytest.mark.parametrize("where", ["loaded/dm_crypt/x", f"there/{_RELEASE}/modules.dep", "nowhere"])
def test_a_kernel_has_what_is_loaded_or_can_be(where: str, tmp_path: Path) -> None:
    path = tmp_path / where
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("kernel/drivers/md/dm-crypt.ko.xz: kernel/drivers/md/dm-mod.ko.xz\n")
    assert encryption._has_target(f"{tmp_path}/loaded", f"{tmp_path}/there") is (where != "nowhere")


def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Path:
    """Puts a program in the place of cryptsetup, as no kernel is to be asked; the directory of a starter."""
    path = tmp_path / "cryptsetup"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setattr(machinetools, "PATH", f"{tmp_path}:{machinetools.PATH}")
    root = tmp_path / "root"
    root.mkdir()
    return root


def test_every_job_has_a_key_that_is_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tool(tmp_path, monkeypatch, f'echo "$@" >> {tmp_path}/said; cat > {tmp_path}/key.$$')
    names = []
    for _ in range(2):
        names.append(encryption.encrypt(str(root), "/dev/x"))
        assert names[-1] == f"/dev/mapper/{(root / '.encrypted').read_text()}"
        assert stat_mode(root / ".encrypted") == 0o600
        encryption.remove(str(root))
        assert os.listdir(root) == []
    keys = {path.read_bytes() for path in tmp_path.glob("key.*")}
    assert [len(key) for key in keys] == [64, 64]
    assert len(set(names)) == 2
    assert all(key.hex() not in (tmp_path / "said").read_text() for key in keys)
    name = names[0].rpartition("/")[2]
    assert (tmp_path / "said").read_text().splitlines()[0] == (
        "open --batch-mode --type plain --cipher aes-xts-plain64 --key-size 512 --hash plain --key-file - "
        f"--keyfile-size 64 /dev/x {name}"
    )


def stat_mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_what_cannot_be_encrypted_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool(tmp_path, monkeypatch, "cat > /dev/null; echo no such target >&2; exit 1")
    sandbox = encrypted(create_root(str(tmp_path), 1), None, 1024, "")
    assert sandbox.encrypted
    with pytest.raises(OSError, match=r"Failed to create a volume .*: cryptsetup: no such target"):
        create_scratch(sandbox, None, "", "")
    assert os.listdir(sandbox.root) == []


@pytest.fixture
def setup(tmp_path: Path) -> StarterSetup:
    return StarterSetup(
        "<a>#1", "slot1@here", ClassAd({"Disk": 2048}), str(tmp_path), "/usr/bin", "here", "here", (),
        LogSettings(str(tmp_path / "StarterLog")), StarterSettings(str(tmp_path), scratch_volume=ScratchVolume()),
    )  # fmt: skip


def plain_of(setup: StarterSetup) -> Place:
    return place_of(setup, create_root(setup.execute, 1), print)


def test_only_jobs_that_want_it_are_encrypted(setup: StarterSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starterfacts, "why_not_encrypted", lambda settings: "")
    plain = plain_of(setup)
    assert place_for(setup, plain, ClassAd()) is plain
    found = place_for(setup, plain, ClassAd({"EncryptExecuteDirectory": True})).sandbox
    assert (found.encrypted, found.disk_kb, found.root) == (True, 2048, plain.sandbox.root)


def test_a_slot_without_disk_has_a_volume_of_one_kb_at_least(
    setup: StarterSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starterfacts, "why_not_encrypted", lambda settings: "")
    setup = setup._replace(slot_ad=ClassAd())
    assert place_for(setup, plain_of(setup), ClassAd({"EncryptExecuteDirectory": True})).sandbox.disk_kb == 1


@pytest.mark.parametrize(
    ("slot", "cpus", "assigned"),
    [
        ('[Cpus = 3; AssignedGPUs = "a,b"; AssignedCards = "c"]', 3, (("Cards", "c"), ("GPUs", "a,b"))),
        ('[Cpus = 0.5; AssignedGPUs = ""; AssignedCards = undefined]', 1, ()),
        ('[Other = "text"]', 1, ()),
    ],
)
def test_facts_of_a_slot_for_the_environment(
    setup: StarterSetup, slot: str, cpus: int, assigned: tuple[tuple[str, str], ...]
) -> None:
    facts = starterfacts.slot_facts(setup._replace(slot_ad=ClassAd(slot)))
    assert (facts.cpus, facts.assigned) == (cpus, assigned)


def test_a_job_that_wants_it_where_it_is_forbidden_gets_no_directory(setup: StarterSetup) -> None:
    forbidding = StarterSettings(setup.execute, disable_execute_directory_encryption=True)
    setup = setup._replace(settings=forbidding)
    assert why_not_encrypted(forbidding) == "DISABLE_EXECUTE_DIRECTORY_ENCRYPTION is true"
    plain = plain_of(setup)
    assert place_for(setup, plain, ClassAd()) is plain
    found = place_for(setup, plain, ClassAd({"EncryptExecuteDirectory": True})).sandbox
    with pytest.raises(OSError, match="DISABLE_EXECUTE_DIRECTORY_ENCRYPTION is true"):
        create_scratch(found, None, "", "")
    assert os.listdir(found.root) == []
