"""condor_setup: what a machine or an account needs so that its pool is there after a boot, and at hand."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress

from condor_py.cli.common import HELP, VERSION, handle_help_and_version, refuse_words
from condor_py.cli.options import Args, Opt, ToolSpec, parse
from condor_py.cli.setup.plan import CRON, Places, Say
from condor_py.lang.config.detected import MACHINE_DIRECTORIES
from condor_py.model.errors import CondorError
from condor_py.model.packages import make_known

_UPGRADE = "Another version"
_SPEC = ToolSpec(
    name="condor_setup",
    usage="[-dry-run] [-remove] [-destdir DIR] | -cron [-remove] | -upgrade [-from PATH | -back] [-drain] [-dry-run]",
    summary="Set this machine (as root) or this account up for condor_py, or put another version in its place.",
    description=(
        "As root: a systemd unit for a pool of the whole machine, cron entries for cleaning and reports, a first "
        "configuration if there is none, completions for the shells, manual pages, and the commands in /usr/local/bin. "
        "For any other account: a systemd unit of the user for a personal pool, completions, manual pages and commands "
        "below ~/.local. Paths are those of this installation. It prints what it does, starts nothing, and never "
        "writes over a file that it has not made; a second time it brings what it made up to date. Logs need no "
        "rotation by others: the daemons rotate theirs (MAX_SCHEDD_LOG and its like, MAX_HISTORY_LOG)."
    ),
    sections=(
        (
            "UPGRADE",
            "-upgrade puts another version into the environment into which pip has installed condor_py, and lets the\n"
            "pool run on it; a line a step, with the seconds that it took. Nothing is changed before the new version\n"
            "has been made ready aside, has accepted the configuration, has found nothing wrong in the spool, and\n"
            "there is room. Then the pool is stopped (by systemctl, if systemd has started it), the queue is copied,\n"
            "the new version is installed, must read the same jobs as the old one, and is started; every job must\n"
            "be in the queue or in the history. When a step fails, or a signal ends it, the old version is\n"
            "installed again and started.\n"
            "Running jobs are asked to stop, as by condor_off, and run again afterwards. With -drain they end first,\n"
            "and none starts meanwhile; after -limit SECONDS it gives up, and the old version stays in use.\n"
            "The version before and the queue as it was are kept in $(LOCAL_DIR)/upgrade/before: -back installs that\n"
            "version again, in the same way. The queue stays as it is then: versions read each other's.\n"
            "In a checkout, first git pull (or git checkout): -upgrade builds and installs what that needs, and\n"
            "restarts the pool.",
        ),
    ),
    options=(
        Opt("cron", 1, help="only add cleaning and reports to this account's crontab (-remove takes them away)"),
        Opt("dry-run", 1, help="say what would be done"),
        Opt("remove", 1, help="remove what it made, except what was changed since; the configuration stays"),
        Opt("destdir", 2, "DIR", "put everything below DIR, as packagers do", takes="dir"),
        Opt("upgrade", 1, help="install another version, and run the pool on it", group=_UPGRADE),
        Opt("from", 1, "PATH", "a wheel, or a directory with the sources (default: what pip finds in its index)",
            group=_UPGRADE, takes="file"),
        Opt("back", 1, help="the version before the last upgrade", group=_UPGRADE),
        Opt("drain", 2, help="let running jobs end before the pool is stopped", group=_UPGRADE),
        Opt("limit", 1, "SECONDS", "give up when jobs still run after so long", group=_UPGRADE, convert=int,
            invalid="condor_setup: -limit needs a number of seconds, not {value}"),
        Opt("prefix", 1, "DIR", "the environment to upgrade (default: this command's)", group=_UPGRADE, takes="dir"),
        VERSION,
        HELP,
    ),
    examples=(
        ("condor_setup -dry-run", "look first"),
        ("condor_setup && systemctl enable --now condor", "as root: a pool that starts with the machine"),
        ("condor_setup -cron", "clean and report by cron, in a pool of this account"),
        ("condor_setup -remove", "take it all back"),
        ("condor_setup -upgrade -from condor_py-0.3.1-py3-none-any.whl -drain", "another version, when no job runs"),
        ("condor_setup -upgrade -back", "the version before"),
    ),
    exit_status=(
        "0; 1 when a file cannot be written, or when the upgrade failed and everything is as before; 2 when it failed "
        "and the pool does not run."
    ),
    see_also=("condor_master", "condor_preen", "condor_metrics"),
)  # fmt: skip
SPECS = (_SPEC,)
#: Seconds that a second condor_setup waits for the first.
_PATIENCE = 5
_LOCK = "setup.lock"


def main(argv: list[str]) -> int:
    """Run condor_setup."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    refuse_words(args)
    _check_options(args)
    if args.has("cron"):
        return _cron(args)
    if args.has("upgrade"):
        return _upgrade(args)
    from condor_py.cli.setup import plan as carry
    from condor_py.cli.setup.plan import places, state_directory, system_steps, user_steps

    root = args.text("destdir", "").rstrip("/")
    system = os.geteuid() == 0
    directory = f"{root}{state_directory()}/condor_py"
    dry_run = args.has("dry-run")
    try:
        with nullcontext() if dry_run else _alone(f"{directory}/{_LOCK}"):
            record = carry.Record(f"{directory}/setup.json")
            if args.has("remove"):
                carry.remove(root, record, _say, dry_run=dry_run)
                with suppress(OSError):  # nothing that it has made stays
                    if not dry_run:
                        os.unlink(f"{directory}/{_LOCK}")
            else:
                found = places()
                config, local_dir = _in_force() if system else ("", "")
                steps = list(system_steps(found, config, local_dir) if system else user_steps(found))
                carry.install(steps, root, record, _say, dry_run=dry_run)
                if local_dir and not _others_may_use(local_dir):
                    _say(f"{config} keeps the existing pool in {local_dir}, which no other account may use.")
                    _say(
                        "For one that all accounts share: when its queue is empty, condor_off -master, move that "
                        f"directory away, remove {config}, and run condor_setup again."
                    )
    except OSError as error:
        raise CondorError(f"condor_setup: {error.filename or ''}: {error.strerror}") from None
    if dry_run:
        _say("nothing was changed (-dry-run)")
    elif not root:
        _tell_systemd(system)
        if not args.has("remove"):
            _tell_what_is_next(system)
    return 0


def _check_options(args: Args) -> None:
    """Refuse options that do not go together. Raises CondorError."""
    ours = [option.name for option in _SPEC.options if option.group == _UPGRADE and args.has(option.name)]
    if ours and not args.has("upgrade"):
        raise CondorError(f"condor_setup: -{ours[0]} belongs to -upgrade")
    pairs = [("upgrade", name) for name in ("cron", "remove", "destdir")]
    for first, second in [*pairs, ("cron", "destdir"), ("from", "back")]:
        if args.has(first) and args.has(second):
            raise CondorError(f"condor_setup: -{first} and -{second} do not go together")
    if args.has("limit") and not args.has("drain"):
        raise CondorError("condor_setup: -limit is for -drain")


def _upgrade(args: Args) -> int:
    """Put another version in the place of this one."""
    from condor_py.cli.setup.upgrade import Wish, kept_below, upgrade
    from condor_py.client.pool import open_pool

    wish = Wish(
        args.text("from", ""), args.has("back"), args.text("prefix"), args.has("drain"),
        args.number("limit"), args.has("dry-run"),
    )  # fmt: skip
    directory = kept_below(open_pool().paths)
    try:
        if not wish.dry_run:
            os.makedirs(directory, mode=0o700, exist_ok=True)
        with nullcontext() if wish.dry_run else _alone(f"{directory}/{_LOCK}"):
            upgrade(wish, _say)
    except OSError as error:
        raise CondorError(f"condor_setup: {error.filename or ''}: {error.strerror}") from None
    return 0


def _cron(args: Args) -> int:
    """Change the crontab of this account."""
    from condor_py.cli.setup.plan import places

    config = os.environ.get("CONDOR_CONFIG", "")
    ours = [] if args.has("remove") else block(places(), config if os.path.isabs(config) else "")
    change(ours, _say, dry_run=args.has("dry-run"))
    return 0


@contextmanager
def _alone(path: str) -> Iterator[None]:
    """Keep other condor_setups away from the same files by a lock. CondorError when one is at work."""
    make_known()
    from filelock import FileLock, Timeout

    os.makedirs(os.path.dirname(path), exist_ok=True)
    lock = FileLock(path, timeout=_PATIENCE)
    try:
        lock.acquire()
    except Timeout:
        raise CondorError(f"condor_setup: another condor_setup has held {lock.lock_file} for {_PATIENCE} s") from None
    try:
        yield
    finally:
        lock.release()


def _in_force() -> tuple[str, str]:
    """Return the configuration file and LOCAL_DIR of an existing pool of root, which it is to keep; else the
    usual places."""
    from condor_py.client.pool import open_pool

    pool = open_pool()
    config = pool.config.root if os.path.isabs(pool.config.root) else "/etc/condor/condor_config"
    has_queue = os.path.exists(pool.paths.job_queue_log)
    return config, pool.config.string("LOCAL_DIR") if has_queue else MACHINE_DIRECTORIES["local_dir"]


def _others_may_use(directory: str) -> bool:
    """Whether every account reaches a directory."""
    path = directory
    while path != os.path.dirname(path):
        with suppress(OSError):
            if not os.stat(path).st_mode & 0o001:
                return False
        path = os.path.dirname(path)
    return True


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _has_systemd() -> bool:
    return os.path.isdir("/run/systemd/system")


def _tell_what_is_next(system: bool) -> None:
    """Say what to type next, and why."""
    from condor_py.cli.setup.plan import next_steps, user_directories
    from condor_py.client.lockfile import lock_holder
    from condor_py.client.pool import open_pool

    paths = open_pool().paths
    steps = next_steps(
        user_directories().user_data_dir,
        os.environ.get("PATH", ""),
        system=system,
        has_systemd=_has_systemd(),
        runs=bool(lock_holder(paths.daemon_lock("MASTER"))),
    )
    _say("Next:")
    for command, why in steps:
        _say(f"    {command:<40} {why}" if len(command) <= 40 else f"    {command}\n    {'':40} {why}")


def _tell_systemd(system: bool) -> None:
    """Lets systemd read the units again."""
    program = shutil.which("systemctl")
    if program is not None and _has_systemd():
        words = [program, "daemon-reload"] if system else [program, "--user", "daemon-reload"]
        subprocess.run(words, check=False, stdin=subprocess.DEVNULL)


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
