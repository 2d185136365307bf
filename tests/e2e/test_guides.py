"""The commands of the guides can be typed as they are shown, and print what is shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from guide_screens import Reader, looks, steps
from pool import ROOT

from condor_py.cli.entry import PROGRAMS

PAPERS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
GUIDES = [
    "README.md", "docs/user-guide.md", "docs/troubleshooting.md", "docs/admin-guide.md", "docs/tour.md", "docs/growing.md",
]  # fmt: skip


@pytest.mark.parametrize("guide", GUIDES)
def test_a_reader_types_what_is_shown(guide: str, tmp_path: Path) -> None:
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
    finally:
        left = reader.leave()
    assert left == [], "the guide ends with condor_off"


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_no_command_is_hidden(paper: Path) -> None:
    for comment in re.findall(r"<!--.*?(?:-->|\Z)", paper.read_text(), re.DOTALL):
        check = re.fullmatch(r"<!-- check: (.*) -->", comment)
        assert comment == "<!-- varies -->" or (check and looks(check[1])), f"{paper.name} hides {comment}"


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
