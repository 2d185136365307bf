"""The files of condor_setup: what is made, what others made or changed and therefore stays, what goes again."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from filelock import FileLock

from condor_py.cli import setup
from condor_py.cli.setup import plan, upgrade
from condor_py.cli.setup import plan as carry
from condor_py.model.errors import CondorError


def tree(root: Path) -> dict[str, str]:
    """All files below a directory with their texts; links with their targets."""
    paths = [path for path in root.rglob("*") if path.is_symlink() or path.is_file()]
    return {
        f"/{path.relative_to(root)}": os.readlink(path) if path.is_symlink() else path.read_text() for path in paths
    }


@pytest.fixture
def found() -> plan.Places:
    return plan.places()


def install(steps: list[plan.Step], root: Path) -> list[str]:
    said: list[str] = []
    carry.install(steps, str(root), carry.Record(f"{root}/record"), said.append, dry_run=False)
    return said


def remove(root: Path) -> list[str]:
    said: list[str] = []
    carry.remove(str(root), carry.Record(f"{root}/record"), said.append, dry_run=False)
    return said


def test_an_account_gets_everything_below_its_home(
    found: plan.Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/me")
    install(list(plan.user_steps(found)), tmp_path)
    made = tree(tmp_path)
    assert f"\nExecStart={found.bin}/condor_master -f\n" in made["/home/me/.config/systemd/user/condor.service"]
    assert made["/home/me/.local/bin/condor_q"] == f"{found.bin}/condor_q"
    words = f"source {tmp_path}/home/me/.local/share/bash-completion/completions/condor_q; complete -p condor_q"
    done = subprocess.run(["bash", "-c", words], capture_output=True, text=True, check=True)
    assert "_condor_py" in done.stdout
    assert all(name.startswith("/home/me/") for name in made if name != "/record")
    remove(tmp_path)
    assert tree(tmp_path) == {}


def test_two_set_ups_do_not_write_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = tmp_path / "var/lib/condor_py" if os.geteuid() == 0 else tmp_path / "state/condor_py"
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    monkeypatch.setattr("condor_py.cli.setup._PATIENCE", 0)
    state.mkdir(parents=True)
    with FileLock(state / "setup.lock"):
        assert setup.main(["-destdir", str(tmp_path), "-dry-run"]) == 0
        with pytest.raises(CondorError, match=r"another condor_setup has held .*/setup\.lock"):
            setup.main(["-destdir", str(tmp_path)])
    assert [path.name for path in state.iterdir()] == ["setup.lock"]
    assert setup.main(["-destdir", str(tmp_path)]) == 0
    assert (state / "setup.json").exists()


def test_shells_and_systems_that_are_there_are_served(found: plan.Places, tmp_path: Path) -> None:
    for name in ("usr/bin/zsh", "usr/bin/fish"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    kinds = {
        step.what for step in plan.system_steps(found, "/etc/condor/condor_config", "/var/lib/condor", str(tmp_path))
    }
    shells = {f"completions of {shell}" for shell in ("bash", "zsh", "fish")}
    assert kinds == {"configuration", "manual pages", "commands"} | shells
    for name in ("etc/systemd", "etc/cron.d"):
        (tmp_path / name).mkdir(parents=True)
    steps = {
        step.what: step for step in plan.system_steps(found, "/usr/local/etc/condor_config", "/srv/pool", str(tmp_path))
    }
    assert b"\nLOCAL_DIR = /srv/pool\n" in steps["configuration"].content
    assert steps["configuration"].path == "/usr/local/etc/condor_config"  # the one that is in force
    assert b"CONDOR_CONFIG=/usr/local/etc/condor_config\n" in steps["systemd unit"].content
    assert steps["systemd unit"].path == "/etc/systemd/system/condor.service"
    assert f"root {found.cron}/nightly-preen\n".encode() in steps["cron entries"].content


def test_what_the_package_of_the_system_has_installed_is_not_made_again(found: plan.Places, tmp_path: Path) -> None:
    packaged = found._replace(bin="/usr/bin")
    for name in ("etc/systemd", "etc/cron.d"):
        (tmp_path / name).mkdir(parents=True)
    steps = list(plan.system_steps(packaged, "/etc/condor/condor_config", "/var/lib/condor", str(tmp_path)))
    assert [step.what for step in steps] == ["configuration", "cron entries"]
    assert b"\nCONDOR_BIN=/usr/bin\n" in steps[1].content
    assert list(plan.user_steps(packaged)) == []


def test_what_others_made_or_changed_stays(found: plan.Places, tmp_path: Path) -> None:
    steps = [
        plan.Step("/a", "files", b"ours\n"),
        plan.Step("/b", "files", b"ours\n"),
        plan.Step("/c", "files", target="a"),
    ]
    (tmp_path / "b").write_text("theirs\n")
    assert install(steps, tmp_path) == [
        f"{tmp_path}/b is there and was not made by condor_setup: it stays",
        f"files: {tmp_path}/a, {tmp_path}/c",
    ]
    newer = [plan.Step("/a", "files", b"newer\n"), *steps[1:]]
    install(newer, tmp_path)
    assert (tmp_path / "a").read_text() == "newer\n"  # what it made itself is brought up to date
    (tmp_path / "a").write_text("changed\n")
    install(newer, tmp_path)
    assert remove(tmp_path) == [f"{tmp_path}/a was changed: it stays", f"removed: {tmp_path}/c"]
    assert tree(tmp_path) == {"/a": "changed\n", "/b": "theirs\n"}
    assert not (tmp_path / "record").exists()


def test_what_was_there_before_is_not_taken_away(tmp_path: Path) -> None:
    """pipx makes the very links that a set-up would make."""
    (tmp_path / "same").symlink_to("there")
    steps = [plan.Step("/same", "commands", target="there"), plan.Step("/new", "commands", target="there")]
    assert install(steps, tmp_path) == [f"commands: {tmp_path}/new"]
    assert remove(tmp_path) == [f"removed: {tmp_path}/new"]
    assert tree(tmp_path) == {"/same": "there"}


def test_what_was_made_before_an_error_is_remembered(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way\n")
    steps = [plan.Step("/first", "files", b"one\n"), plan.Step("/file/second", "files", b"two\n")]
    with pytest.raises(OSError):
        install(steps, tmp_path)
    assert remove(tmp_path) == [f"removed: {tmp_path}/first"]


@pytest.mark.parametrize(("system", "has_systemd", "runs", "first", "not_there"), [
    (True, True, False, ["systemctl enable --now condor", "condor_status"], "condor_master"),
    (True, False, False, ["condor_master", "condor_status"], "systemctl"),
    (True, True, True, ["condor_status", "condor_run echo hello"], "systemctl"),
    (False, True, False, ["export PATH=~/.local/bin:$PATH", "systemctl --user enable --now condor"], "condor_master"),
    (False, False, False, ["export PATH=~/.local/bin:$PATH", "condor_master", "condor_status"], "systemctl"),
])  # fmt: skip
def test_the_next_commands_are_those_that_are_missing(
    system: bool, has_systemd: bool, runs: bool, first: list[str], not_there: str, tmp_path: Path
) -> None:
    found = list(plan.next_steps(str(tmp_path), "/usr/bin", system=system, has_systemd=has_systemd, runs=runs))
    commands = [command for command, _ in found]
    assert commands[: len(first)] == first
    assert not any(not_there in command for command in commands)


def test_a_directory_that_is_on_the_path_is_not_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    path = f"/usr/bin:{tmp_path}/.local/bin"
    found = plan.next_steps(str(tmp_path), path, system=False, has_systemd=False, runs=False)
    assert next(found)[0] == "condor_master"


@pytest.mark.parametrize(("words", "text"), [
    (["-drain"], "-drain belongs to -upgrade"),
    (["-upgrade", "-cron"], "-upgrade and -cron do not go together"),
    (["-upgrade", "-back", "-from", "x"], "-from and -back do not go together"),
    (["-upgrade", "-limit", "9"], "-limit is for -drain"),
    (["-upgrade", "-drain", "-limit", "soon"], "-limit needs a number of seconds, not soon"),
])  # fmt: skip
def test_options_that_do_not_go_together_are_named(words: list[str], text: str) -> None:
    with pytest.raises(CondorError, match=text):
        setup.main(words)


def test_the_unit_that_has_started_the_master_is_asked_for_by_its_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "systemctl"
    program.write_text('#!/bin/sh\n[ "$1" = --user ] && echo 1234 || echo 1\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert upgrade.unit_of(1234) == ("systemctl", "--user")
    assert upgrade.unit_of(1) == ("systemctl",)
    assert upgrade.unit_of(99) == upgrade.unit_of(0) == ()


def test_where_the_files_of_a_machine_go(found: plan.Places, tmp_path: Path) -> None:
    for name in ("usr/bin/zsh", "usr/bin/fish", "etc/systemd/x", "etc/cron.d/x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    steps = list(plan.system_steps(found, "/etc/condor/condor_config", "/var/lib/condor", str(tmp_path)))
    paths = {step.path for step in steps}
    assert {
        "/etc/condor/condor_config", "/etc/systemd/system/condor.service", "/etc/cron.d/condor",
        "/etc/bash_completion.d/condor", "/usr/local/share/zsh/site-functions/_condor",
        "/usr/share/fish/vendor_completions.d/condor.fish", "/usr/share/fish/vendor_completions.d/condor_q.fish",
        "/usr/local/share/man/man1/condor_q.1", "/usr/local/share/man/man1/classad_eval.1",
        "/usr/local/share/man/man1/htcondor.1", "/usr/local/bin/condor_q", "/usr/local/bin/htcondor",
    } <= paths  # fmt: skip
    assert any(path.startswith("/usr/local/share/man/man5/condor") for path in paths)
    assert [step.path for step in steps if step.theirs] == ["/etc/condor/condor_config"]
    links = {step.path: step.target for step in steps if step.target}
    assert links["/usr/local/bin/condor_q"] == f"{found.bin}/condor_q"
    assert links["/usr/share/fish/vendor_completions.d/condor_q.fish"] == "condor.fish"
    commands = [path for path in paths if path.startswith("/usr/local/bin/")]
    assert sorted(commands) == [f"/usr/local/bin/{name}" for name in plan.programs()]
    (cron,) = (step.content.decode() for step in steps if step.what == "cron entries")
    assert cron.splitlines()[:4] == [
        "# Made by condor_setup.", "CONDOR_CONFIG=/etc/condor/condor_config", f"CONDOR_BIN={found.bin}",
        "SHELL=/bin/sh",
    ]  # fmt: skip
    times = {line.rpartition("/")[2]: line.partition(" root ")[0] for line in cron.splitlines()[4:]}
    assert times == {
        "nightly-preen": "15 3 * * *", "queue-report": "0 6 * * *", "history-report": "5 6 * * *",
        "weekly-report": "10 6 * * 1", "userprio-snapshot": "30 * * * *",
    }  # fmt: skip


def test_manual_pages_of_other_programs_are_left_alone(found: plan.Places, tmp_path: Path) -> None:
    """A directory for manual pages may be shared."""
    (tmp_path / "man1").mkdir()
    for name in ("condor_q.1", "classad_eval.1", "htcondor.1", "xcondor.1", "ls.1", "my_htcondor.1"):
        (tmp_path / "man1" / name).write_text(name)
    steps = list(plan._pages(found._replace(man=str(tmp_path)), "/m"))
    assert [(step.path, step.content) for step in steps] == [
        ("/m/man1/classad_eval.1", b"classad_eval.1"), ("/m/man1/condor_q.1", b"condor_q.1"),
        ("/m/man1/htcondor.1", b"htcondor.1"),
    ]  # fmt: skip
    assert list(plan._pages(found._replace(man=str(tmp_path)), str(tmp_path))) == []


def test_what_is_said_of_many_files() -> None:
    """One and two are named; of more the directories, with their numbers."""
    assert plan._shown(["/a/x"]) == "/a/x"
    assert plan._shown(["/a/x", "/b/y"]) == "/a/x, /b/y"
    assert plan._shown(["/b/y", "/a/x", "/b/z"]) == "/a (1), /b (2)"
    assert plan.programs() == sorted(plan.programs())


def test_a_dry_run_says_what_would_change(tmp_path: Path) -> None:
    said: list[str] = []
    steps = [plan.Step("/a", "files", b"1"), plan.Step("/b", "files", b"2"), plan.Step("/l", "links", target="a")]

    def run(*, dry_run: bool) -> list[str]:
        said.clear()
        carry.install(steps, str(tmp_path), carry.Record(f"{tmp_path}/record"), said.append, dry_run=dry_run)
        return list(said)

    assert run(dry_run=True) == [f"would make files: {tmp_path}/a, {tmp_path}/b", f"would make links: {tmp_path}/l"]
    assert tree(tmp_path) == {}
    assert run(dry_run=False) == [f"files: {tmp_path}/a, {tmp_path}/b", f"links: {tmp_path}/l"]
    assert run(dry_run=True) == run(dry_run=False) == ["everything is there already"]
    steps[0] = plan.Step("/a", "files", b"3")
    assert run(dry_run=True) == [f"would make files: {tmp_path}/a"]
    said.clear()
    carry.remove(str(tmp_path), carry.Record(f"{tmp_path}/record"), said.append, dry_run=True)
    assert said == [f"would remove: {tmp_path} (3)"]
    assert remove(tmp_path) == [f"removed: {tmp_path} (3)"]
    assert remove(tmp_path) == ["there is nothing that condor_setup has made"]
