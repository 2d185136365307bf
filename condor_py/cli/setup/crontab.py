"""Our lines in the crontab of an account: a block between two marks; all other lines stay as they are."""

from __future__ import annotations

import shlex
import subprocess

from condor_py.cli.setup.plan import CRON, Places, Say
from condor_py.model.errors import CondorError

_BEGIN = "# condor_py begins (condor_setup -cron made this, condor_setup -cron -remove takes it away)"
_END = "# condor_py ends"


def block(found: Places, config: str) -> list[str]:
    """Return the lines that run the scripts of this installation on the pool of this account, or of ``config``."""
    variables = {"CONDOR_BIN": found.bin, **({"CONDOR_CONFIG": config} if config else {})}
    before = " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())
    commands = (f"{when} {before} {shlex.quote(f'{found.cron}/{name}')}" for when, name in CRON)
    return [_BEGIN, *(command.replace("%", "\\%") for command in commands), _END]  # cron makes lines of % otherwise


def without_block(lines: list[str]) -> list[str]:
    """Return the lines of a crontab but ours. CondorError when our block has no end."""
    if _BEGIN not in lines:
        return lines
    begin = lines.index(_BEGIN)
    if _END not in lines[begin:]:
        raise CondorError(f"condor_setup: the crontab has the line {_BEGIN!r} without the line {_END!r}: crontab -e")
    return lines[:begin] + lines[lines.index(_END, begin) + 1 :]


def change(ours: list[str], say: Say, *, dry_run: bool) -> None:
    """Put ``ours`` into the crontab in place of the block that is there; none takes it away. CondorError."""
    before = _crontab("-l", missing="no crontab").splitlines()
    kept = without_block(before)
    after = [*kept, *ours]
    if after == before:
        say("the crontab is as it should be" if ours else "the crontab has no lines of condor_setup")
        return
    shown = ours[1:-1] if ours else before[before.index(_BEGIN) + 1 : before.index(_END)]
    would, done = ("would add", "added to") if ours else ("would remove", "removed from")
    say(f"{would}:" if dry_run else f"{done} the crontab:")
    for line in shown:
        say(f"    {line}")
    if not dry_run:
        _crontab("-" if after else "-r", text="".join(f"{line}\n" for line in after))


def _crontab(*words: str, text: str = "", missing: str = "\0") -> str:
    """Return what crontab says; "" when it says that there is ``missing``. CondorError."""
    try:
        done = subprocess.run(
            ["crontab", *words], input=text, capture_output=True, text=True, errors="surrogateescape", check=False
        )
    except FileNotFoundError:
        raise CondorError("condor_setup: there is no program crontab: install cron") from None
    if done.returncode and missing not in done.stderr:
        raise CondorError(f"condor_setup: crontab {' '.join(words)}: {done.stderr.strip() or 'failed'}")
    return "" if done.returncode else done.stdout
