"""The pool of a machine that nobody has configured: root starts it, every account finds it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pool import MAIN, PATIENCE
from shared_pool import STRANGER, usable_python

from condor_py.machine.run.namespaces import may_mount

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not may_mount() or not shutil.which("unshare"), reason="root hides directories of the machine"
)

ROOT = MAIN.parents[1]
#: What is written to these directories is gone afterwards.
_COPIES = """
set -eu
mkdir copies
mount -t tmpfs none copies
for directory in etc opt usr var; do
    mkdir "copies/$directory" "copies/$directory.work"
    mount -t overlay -o "lowerdir=/$directory,upperdir=$PWD/copies/$directory,workdir=$PWD/copies/$directory.work" \\
        none "/$directory"
done
"""
#: Empty directories in place of the machine's; ``root`` and ``theirs`` run a command as root and as another account.
_BEGIN = """
set -eu
for directory in /var/lib /var/log /run $(ls -d /etc/condor 2>/dev/null || :); do mount -t tmpfs none "$directory"; done
root() { "$python" -I -S "$main" "$@"; }
theirs() { setpriv --reuid "$stranger" --clear-groups env HOME=/nonexistent "$theirs" -I -S "$main" "$@"; }
trap 'root condor_off -master -fast; "$python" -I "${main%/*}/daemons/gone.py"' EXIT
"""


def in_a_bare_machine(script: str, work: Path, before: str = "") -> str:
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", f"{before}\n{_BEGIN}\n{script}"],
        env={
            "PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": str(work),
            "python": sys.executable,
            "theirs": usable_python(),
            "main": str(MAIN),
            "stranger": STRANGER,
        },
        cwd=work,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120 * PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_root_starts_it_and_another_account_runs_a_job(open_path: Path) -> None:
    work = open_path / "work"
    work.mkdir()
    work.chmod(0o777)
    (work / "job.sub").write_text("executable = /bin/true\nlog = job.log\nqueue\n")
    said = in_a_bare_machine(
        """
        root condor_master
        theirs condor_config_val LOCAL_DIR LOG LOCK SPOOL
        theirs condor_status -af State
        theirs condor_submit job.sub
        theirs condor_wait -wait 60 job.log
        ls /run/condor/InstanceLock /var/log/condor/SchedLog /var/lib/condor/spool/job_queue.log
        """,
        work,
    )
    assert "/var/lib/condor\n/var/log/condor\n/run/condor\n/var/lib/condor/spool\n" in said
    assert "\nUnclaimed\n" in said
    assert "All jobs done." in said
    assert "/run/condor/InstanceLock\n/var/lib/condor/spool/job_queue.log\n/var/log/condor/SchedLog\n" in said


def test_a_configuration_that_condor_setup_made_has_the_same_directories(tmp_path: Path) -> None:
    made = tmp_path / "made"
    said = in_a_bare_machine(
        f"""
        root condor_setup -destdir {made} >/dev/null
        root condor_master
        root condor_config_val LOCAL_DIR LOG LOCK
        CONDOR_CONFIG={made}/etc/condor/condor_config root condor_config_val LOCAL_DIR LOG LOCK
        CONDOR_CONFIG={made}/etc/condor/condor_config root condor_status -af State
        """,
        tmp_path,
    )
    first, second = said.splitlines()[:3], said.splitlines()[3:6]
    assert first == second == ["/var/lib/condor", "/var/log/condor", "/run/condor"]
    assert said.splitlines()[6] == "Unclaimed"


def test_the_laboratory_of_the_administrator_guide(tmp_path: Path) -> None:
    """Each block of these sections is typed as root, or as another account where it says so."""
    usable_python()
    work = tmp_path / "work"
    work.mkdir()
    guide = (ROOT / "docs/admin-guide.md").read_text()
    script = ["exec 2>&1", "mkdir -m 777 /run/ann"]
    for section in ("A pool for a laboratory", "Uninstall"):
        text = guide.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
        for who, block in re.findall(r"^```sh\n# as (root|ann)[^\n]*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
            if who == "root":
                script.append(f"cd {ROOT}\n{block}")
            else:
                words = f"setpriv --reuid {STRANGER} --clear-groups env HOME=/run/ann sh -ec {shlex.quote(block)}"
                script.append(f"cd /run/ann\n{words}")
    script.append("! ls -d /etc/condor /var/lib/condor /usr/local/bin/condor_q /etc/systemd/system/condor.service")
    script.append("trap - EXIT")
    said = in_a_bare_machine("\n".join(script), work, _COPIES)
    assert "nothing found" in said
    assert "All jobs done." in said
    assert "\nphysics " in said
    assert "removed: /usr/local/bin" in said
