"""Programs of other accounts: root's rights are given up before anything of theirs is touched."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from condor_py.starter.identity import account, as_user
from condor_py.starter.spawning import Launch, start

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")


@pytest.fixture
def private(tmp_path: Path) -> Path:
    """A directory that everybody may enter, behind a door that only root may pass."""
    inner = tmp_path / "private" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "private").chmod(0o700)
    inner.chmod(0o755)
    return inner


def said(launch: Launch) -> str:
    process = start(launch, subprocess.DEVNULL, subprocess.PIPE, subprocess.PIPE)
    return process.communicate()[0].decode()


@needs_root
def test_the_directory_is_entered_with_the_rights_of_the_user(private: Path) -> None:
    launch = Launch(["/bin/pwd"], {}, str(private))
    assert said(launch) == f"{private}\n"
    with pytest.raises((OSError, subprocess.SubprocessError)):
        said(Launch(["/bin/pwd"], {}, str(private), account("nobody")))


@needs_root
def test_nothing_of_root_is_left() -> None:
    user = account("nobody")
    text = said(Launch(["/bin/cat", "/proc/self/status"], {}, "/", user))
    facts = {line.partition(":")[0]: line.partition(":")[2].split() for line in text.splitlines()}
    assert facts["Uid"] == [str(user.uid)] * 4
    assert facts["Gid"] == [str(user.gid)] * 4
    assert facts["Groups"] == [str(group) for group in sorted(user.groups)]
    assert facts["CapPrm"] == facts["CapEff"] == ["0" * 16]


@needs_root
def test_who_works_as_somebody_else_for_a_while_hands_nothing_on() -> None:
    """A shell that is root by its real user id would be root again at once."""
    user = account("nobody")
    with as_user(user):
        assert said(Launch(["/bin/bash", "-c", "echo $UID $EUID"], {}, "/", user)) == f"{user.uid} {user.uid}\n"


@needs_root
def test_what_needs_root_in_the_new_process_comes_first() -> None:
    user = account("nobody")
    seen, told = os.pipe()
    steps = [
        lambda: os.write(told, b"%d " % os.geteuid()),
        lambda: os.write(told, b"%d %s" % (os.geteuid(), os.getcwdb())),
    ]
    said(
        Launch(["/bin/true"], {}, "/tmp", user, enter=lambda: steps[0]() and None, prepare=lambda: steps[1]() and None)
    )
    assert os.read(seen, 100).decode() == f"0 {user.uid} /tmp"
    os.close(seen)
    os.close(told)


def test_without_root_there_is_one_identity_and_no_step_between(tmp_path: Path) -> None:
    assert said(Launch(["sh", "-c", "pwd"], {"PATH": "/bin:/usr/bin"}, str(tmp_path))) == f"{tmp_path}\n"


@needs_root
def test_a_plugin_is_asked_with_the_rights_of_the_job(tmp_path: Path) -> None:
    """Also by a shell script: it would take root's real user id for its own."""
    from condor_py.starter.plugins import ask

    plugin = tmp_path / "plugin"
    plugin.write_text('#!/bin/bash\necho "SupportedMethods = \\"m$EUID\\""\n')
    plugin.chmod(0o755)
    for path in (tmp_path, *tmp_path.parents[:-2]):
        path.chmod(0o755)
    user = account("nobody")
    with as_user(user):
        found = ask(str(plugin))
    assert found is not None
    assert found.methods == (f"m{user.uid}",)
