"""The commands of the guides can be typed as they are shown, and print what is shown."""

from __future__ import annotations

import getpass
import os
import pty
import re
import select
import sys
import time
from pathlib import Path

import pytest
import small_machine
from guide_screens import Reader, looks, steps
from pool import MAIN, PATIENCE, ROOT, PersonalPool, wait_for

from condor_py.cli.entry import PROGRAMS
from condor_py.machine.run.namespaces import may_mount
from condor_py.machine.run.volume import may_make_volumes

PAPERS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
GUIDES = [
    "README.md", "docs/user-guide.md", "docs/troubleshooting.md", "docs/admin-guide.md", "docs/tour.md",
    "docs/growing.md", "docs/continuous-integration.md",
    "docs/power.md",
    "docs/disks.md", "docs/virtual-machines.md",
]  # fmt: skip


def why_not(guide: str) -> str:
    """Why this machine lacks something that a page is about; "" where nothing is missing."""
    if guide == "docs/virtual-machines.md":
        return small_machine.why_not()
    if guide == "docs/disks.md" and not (may_mount() and may_make_volumes()):
        return "only root may mount, with loop devices and mkfs.ext4"
    return ""


@pytest.mark.parametrize("guide", GUIDES)
def test_a_reader_types_what_is_shown(guide: str, tmp_path: Path) -> None:
    if reason := why_not(guide):
        pytest.skip(reason)
    lines = (ROOT / guide).read_text().splitlines()
    reader = Reader(tmp_path)
    try:
        for step in steps(lines):
            printed, right = reader.follow(step, lines)
            if step.kind == "screen":
                assert reader.alike(printed) == reader.alike(step.shown(lines)), f"{guide}: $ {step.command}"
            else:
                assert right, f"{guide}: {step.command}: {printed}"
        assert list(reader.home.iterdir()) == [], "the guide ends with removing what it has made"
        wait_for(reader.is_alone, "the guide ends with condor_off")
    finally:
        left = reader.leave()
    assert left == [], "the guide ends with condor_off"


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_no_command_is_hidden(paper: Path) -> None:
    for comment in re.findall(r"<!--.*?(?:-->|\Z)", paper.read_text(), re.DOTALL):
        check = re.fullmatch(r"<!-- check: (.*) -->", comment)
        shown = comment in ("<!-- varies -->", "<!-- made by docs/knobs.py: do not edit -->")
        assert shown or (check and looks(check[1])), f"{paper.name} hides {comment}"


@pytest.mark.parametrize("guide", GUIDES)
def test_what_is_not_typed_says_what_it_needs(guide: str) -> None:
    text = (ROOT / guide).read_text()
    for block in re.findall(r"^ *```sh\n(.*?)```", text, re.DOTALL | re.MULTILINE):
        assert block.startswith("# "), f"{guide}: {block}"
    ours = "|".join(sorted(PROGRAMS))
    elsewhere = re.findall(
        rf"^    (?:(?:{ours}|cd|cp|export|git|mkdir|pip|python3?|rm|systemctl) .*|bin/.*)", text, re.M
    )
    assert not elsewhere, f"{guide}: commands stand in console blocks, or in sh blocks that say what they need"


#: The commands that docs/coming-from.md names, in an order in which each can be typed with cluster 5, and what a
#: terminal is sent for those that need one.
STORY = (
    ("condor_submit job.sub", ""), ("condor_qsub job.sh", ""), ("condor_qsub -hold_jid 5", ""),
    ("condor_submit_dag", ""), ("condor_run COMMAND", ""), ("condor_q", ""), ("condor_q -allusers", ""),
    ("condor_q -forecast", ""), ("condor_q -long 5", ""), ("condor_q -better-analyze 5", ""), ("condor_status", ""),
    ("condor_q -why", ""), ("condor_q -why 5", ""), ("condor_userprio", ""), ("condor_ping", ""),
    ("condor_ssh_to_job 5.0", "exit\n"), ("condor_top", "q"),
    ("condor_watch_q", "\x03"),
    ("condor_suspend 5", ""), ("condor_continue 5", ""), ("condor_vacate_job 5", ""), ("condor_hold 5", ""),
    ("condor_qedit 5 RequestMemory 256", ""), ("condor_release 5", ""), ("condor_rm 5", ""), ("condor_history", ""),
    ("condor_history 5", ""), ("condor_history -why 5", ""), ("condor_history -efficiency 5", ""),
    ("condor_history -long 5", ""), ("condor_rm alice", ""),
    ("condor_submit -wait job.sub", ""), ("condor_submit -interactive job.sub", "exit\n"), ("condor_wait FILE", ""),
    ("condor_userlog FILE", ""), ("condor_report -o report.html", ""), ("condor_drain", ""),
    ("condor_drain -cancel", ""), ("condor_drain -reason disk", ""),
)  # fmt: skip


def ours(cell: str) -> list[str]:
    """The pieces of code in all columns but the first of a line of a table."""
    return re.findall(r"`([^`]+)`", "|".join(re.split(r"(?<!\\)\|", cell)[2:]))


def in_a_terminal(pool: PersonalPool, words: list[str], keys: str) -> str:
    """Run a command in a terminal, send it the keys until it ends, and return what it shows."""
    pid, terminal = pty.fork()
    if not pid:
        os.chdir(pool.work)
        os.execvpe(sys.executable, [sys.executable, "-I", str(MAIN), *words], {**pool.environment, "TERM": "xterm"})
    shown = b""
    deadline = time.monotonic() + 30 * PATIENCE
    while time.monotonic() < deadline:
        try:
            if select.select([terminal], [], [], 0.3)[0]:
                shown += os.read(terminal, 65536)
            else:
                os.write(terminal, keys.encode())
        except OSError:  # it has ended
            break
    os.close(terminal)
    os.waitpid(pid, 0)
    assert time.monotonic() < deadline, f"{words} does not end: {shown.decode()}"
    return shown.decode(errors="replace")


def test_each_command_for_those_who_come_from_elsewhere_can_be_typed(own_pool: PersonalPool) -> None:
    """Its jobs have the numbers that the page names, and at its end the machine is drained."""
    pool = own_pool
    rows = [line for line in (ROOT / "docs" / "coming-from.md").read_text().splitlines() if line.startswith("| ")]
    named = {code for row in rows for code in ours(row) if code.startswith("condor_")}
    assert named - {"condor_master"} == {command for command, _ in STORY}
    (pool.work / "job.sh").write_text("#!/bin/sh\n#$ -N short\ntrue\n")
    (pool.work / "one.dag").write_text("JOB one job.sub\n")
    more = {"condor_qsub -hold_jid 5": ["job.sh"], "condor_submit_dag": ["one.dag"]}
    for number in range(1, 6):
        hold = "hold = true\n" if number < 5 else ""
        pool.submit(f"executable = /bin/sleep\narguments = 600\n{hold}queue\n")
    wait_for(lambda: pool.status_of("5.0") == 2, "job 5.0 runs")
    (pool.work / "job.sub").write_text("executable = /bin/true\nlog = FILE\nqueue\n")
    for command, keys in STORY:
        words = command.replace("alice", getpass.getuser()).replace("COMMAND", "true").split() + more.get(command, [])
        if command in ("condor_suspend 5", "condor_continue 5", "condor_vacate_job 5"):
            wanted = 7 if command == "condor_continue 5" else 2
            wait_for(lambda wanted=wanted: pool.status_of("5.0") == wanted, f"{command} has its job")
        if keys:
            assert "rror" not in in_a_terminal(pool, words, keys), command
        else:
            pool.tool(*words)


def test_each_submit_command_for_those_who_come_from_elsewhere_is_taken(pool: PersonalPool) -> None:
    rows = [line for line in (ROOT / "docs" / "coming-from.md").read_text().splitlines() if line.startswith("| ")]
    lines = ["executable = /bin/true", "file = x"]
    for row in rows:
        found = [code for code in ours(row) if re.match(r"\w+ = |queue", code)]
        queue = [code for code in found if code.startswith("queue")]
        lines += [code for code in found if code not in queue] + (queue or ["queue"])
    assert len(lines) > 100
    for name, text in (("list.txt", "a\nb\n"), ("table.csv", "1,2\n"), ("x.txt", "")):
        (pool.work / name).write_text(text)
    (pool.work / "DIR").mkdir()
    (pool.work / "all.sub").write_text("\n".join(lines) + "\n")
    done = pool.tool("condor_submit", "-dry-run", "/dev/null", "all.sub")
    assert "typo" not in done.stderr


@pytest.mark.parametrize(
    ("command", "only_looks"),
    [
        ("condor_q -run -af AcctGroupUser | sort | uniq -c", True),
        ("condor_q -constraint 'JobStatus > 1' -af:j Cmd", True),
        ("grep 'step 2' $(condor_config_val EXECUTE)/dir_*/scratch/steps.txt", True),
        ("htcondor dag status 16", True),
        ("htcondor dag halt 16", False),
        ("condor_userprio -setfactor ann@example.net 2", False),
        ("condor_config_val -set NUM_CPUS=1", False),
        ("condor_metrics -prometheus | grep Idle", True),
        ("condor_metrics -prometheus -file condor.prom", False),
        ("condor_q > jobs.txt", False),
        ("cat > hello.sub <<'END'\nqueue\nEND", False),
        ("condor_q && condor_rm -all", False),
        ("condor_q; condor_rm -all", False),
        ("condor_q $(condor_rm -all)", False),
        ("condor_q `condor_rm -all`", False),
        ("condor_rm -all", False),
        ("until condor_q | grep -q idle; do sleep 1; done", False),
    ],
)
def test_looks(command: str, only_looks: bool) -> None:
    assert looks(command) is only_looks


def test_steps_are_what_is_shown() -> None:
    guide = """
<!-- varies -->
```console
$ cat > a.sub <<'END'
$ queue
END
$ condor_submit \\
    a.sub
1 job(s)
```
<!-- check: grep 1 a.log -->
```sh
$ never typed
```
```console
$ ls
a.log
```
"""
    lines = guide.splitlines()
    assert [(step.kind, step.command, step.shown(lines)) for step in steps(lines)] == [
        ("varies", "cat > a.sub <<'END'\n$ queue\nEND", []),
        ("varies", "condor_submit \\\n    a.sub", ["1 job(s)"]),
        ("check", "grep 1 a.log", []),
        ("screen", "ls", ["a.log"]),
    ]
