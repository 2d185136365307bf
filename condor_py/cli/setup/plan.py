"""The files that a set-up writes, and their directories; the files contain the paths of this installation."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from condor_py.lang.config.detected import MACHINE_DIRECTORIES
from condor_py.lang.config.installed import tools_directory
from condor_py.model.errors import CondorError
from condor_py.model.packages import make_known
from condor_py.store.fs import RealFs, remove_if_there, replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from platformdirs import PlatformDirs


_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_CONFIG = """\
# Made by condor_setup. Every knob, with its default and what it is for, is in {share}/condor_config.
{directories}
LOCAL_CONFIG_DIR = /etc/condor/config.d
"""
#: Where zsh looks for functions, below a directory that is in its fpath.
_ZSH = "zsh/site-functions"
#: When the scripts of etc/cron run.
CRON = (
    ("15 3 * * *", "nightly-preen"),
    ("0 6 * * *", "queue-report"),
    ("5 6 * * *", "history-report"),
    ("10 6 * * 1", "weekly-report"),
    ("30 * * * *", "userprio-snapshot"),
)


class Step(NamedTuple):
    """A file to write (``content``) or a symbolic link to make (``target``)."""

    path: str
    what: str
    content: bytes = b""
    target: str = ""
    #: A file that people are meant to change: it is made once, and stays when the rest is removed.
    theirs: bool = False


class Places(NamedTuple):
    """Directories and paths of the parts of this installation."""

    bin: str
    systemd: str
    cron: str
    completions: str
    man: str
    config: str

    @property
    def packaged(self) -> bool:
        """Whether a package of the distribution has put units, completions, manual pages and commands where they are
        found."""
        return self.bin == "/usr/bin"


def places() -> Places:
    """Of the checkout, or of the environment into which pip has put the commands. CondorError when there is neither."""
    root = os.path.dirname(_PACKAGE)
    commands = tools_directory()
    if commands and os.path.isdir(f"{root}/etc/systemd"):
        etc = f"{root}/etc"
        return Places(commands, f"{etc}/systemd", f"{etc}/cron", f"{root}/completions", f"{root}/man", etc)
    share = f"{os.path.dirname(commands)}/share"
    ours = f"{share}/condor_py"
    if commands and os.path.isdir(f"{ours}/systemd"):
        return Places(commands, f"{ours}/systemd", f"{ours}/cron", f"{ours}/completions", f"{share}/man", ours)
    raise CondorError(
        f"condor_setup: neither {root} nor {share} has the files of an installation: install the package again"
    )


def system_steps(found: Places, config: str, local_dir: str, has: str = "/") -> Iterator[Step]:
    """A pool for the whole machine with its configuration in ``config`` and its files in ``local_dir``; systemd, cron
    and shells are looked for below ``has``."""
    ours = {"local_dir": local_dir} if local_dir != MACHINE_DIRECTORIES["local_dir"] else MACHINE_DIRECTORIES
    directories = "\n".join(f"{name.upper()} = {path}" for name, path in ours.items())
    text = _CONFIG.format(share=found.config, directories=directories)
    yield Step(config, "configuration", text.encode(), theirs=True)
    if _there(has, "etc/systemd") and not found.packaged:
        yield _unit(found, "condor.service", "/etc/systemd/system/condor.service", config)
    if _there(has, "etc/cron.d"):
        lines = [f"{when} root {shlex.quote(f'{found.cron}/{name}')}\n" for when, name in CRON]
        head = f"# Made by condor_setup.\nCONDOR_CONFIG={config}\nCONDOR_BIN={found.bin}\nSHELL=/bin/sh\n"
        yield Step("/etc/cron.d/condor", "cron entries", (head + "".join(lines)).encode())
    if found.packaged:
        return
    yield Step("/etc/bash_completion.d/condor", "completions of bash", _read(f"{found.completions}/condor.bash"))
    if _there(has, "usr/bin/zsh"):
        yield Step(f"/usr/local/share/{_ZSH}/_condor", "completions of zsh", _read(f"{found.completions}/condor.zsh"))
    if _there(has, "usr/bin/fish"):
        yield from _each_command(found, "/usr/share/fish/vendor_completions.d", "condor.fish", ".fish", "fish")
    yield from _pages(found, "/usr/local/share/man")
    yield from _commands(found, "/usr/local/bin")


def user_directories() -> PlatformDirs:
    """The directories of the account that runs this, as the XDG rules and its environment say."""
    make_known()
    from platformdirs import PlatformDirs

    return PlatformDirs()


def state_directory() -> str:
    """Return the directory below which the record of the files made is kept."""
    return "/var/lib" if os.geteuid() == 0 else user_directories().user_state_dir


def user_steps(found: Places, has: str = "/") -> Iterator[Step]:
    """A personal pool of one account; zsh is looked for below ``has``."""
    if found.packaged:
        return
    home = os.path.expanduser("~")
    directories = user_directories()
    share, settings = directories.user_data_dir, directories.user_config_dir
    yield _unit(found, "condor-user.service", f"{settings}/systemd/user/condor.service", "")
    yield from _each_command(found, f"{share}/bash-completion/completions", "condor.bash", "", "bash")
    if os.path.isdir(f"{settings}/fish"):
        yield from _each_command(found, f"{settings}/fish/completions", "condor.fish", ".fish", "fish")
    if _there(has, "usr/bin/zsh"):
        yield Step(f"{share}/{_ZSH}/_condor", "completions of zsh", _read(f"{found.completions}/condor.zsh"))
    yield from _pages(found, f"{share}/man")
    yield from _commands(found, f"{home}/.local/bin")


def next_steps(share: str, path: str, *, system: bool, has_systemd: bool, runs: bool) -> Iterator[tuple[str, str]]:
    """Yield the commands that an administrator or a user types after a set-up, each with its purpose.

    ``share`` is the account's data directory, ``path`` its PATH, ``runs`` whether the pool runs already.
    """
    home = os.path.expanduser("~")
    if not system and f"{home}/.local/bin" not in path.split(":"):
        yield "export PATH=~/.local/bin:$PATH", "in ~/.profile: there are the commands"
    if not system and os.path.exists(f"{share}/{_ZSH}/_condor"):
        yield f"fpath=({share}/{_ZSH} $fpath)".replace(home, "~"), "in ~/.zshrc, before compinit"
    if not runs and has_systemd and system:
        yield "systemctl enable --now condor", "starts the pool, now and at every boot"
    elif not runs and has_systemd:
        yield "systemctl --user enable --now condor", "starts the pool, now and when you log in"
        yield "loginctl enable-linger", "lets it go on when you log out"
    elif not runs:
        yield "condor_master", "starts the pool (after a boot, too: there is no systemd that would)"
    yield "condor_status", "shows its slots" + (", to every account" if system else "")
    yield "condor_run echo hello", "runs a first job, and prints what it prints"
    if not system:
        yield "condor_setup -cron", "cleans and reports every day"
    yield "condor_setup -upgrade -dry-run", "tells what an upgrade would do; -remove takes this set-up back"


def _there(has: str, path: str) -> bool:
    return os.path.exists(os.path.join(has, path))


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _unit(found: Places, name: str, path: str, config: str) -> Step:
    """The unit with the paths of this installation."""
    text = _read(f"{found.systemd}/{name}").decode()
    text = "# Made by condor_setup.\n" + text.partition("[Unit]")[1] + text.partition("[Unit]")[2]
    for example in ("/opt/condor_py/bin", "%h/condor_py/bin"):
        text = text.replace(example, found.bin)
    return Step(path, "systemd unit", text.replace("/etc/condor/condor_config", config or "").encode())


def _each_command(found: Places, directory: str, source: str, suffix: str, shell: str) -> Iterator[Step]:
    """One file, and a link to it for each command: this shell looks for completions by the name of the command."""
    first = f"{directory}/condor{suffix}"
    yield Step(first, f"completions of {shell}", _read(f"{found.completions}/{source}"))
    for name in programs():
        yield Step(f"{directory}/{name}{suffix}", f"completions of {shell}", target=f"condor{suffix}")


def _pages(found: Places, directory: str) -> Iterator[Step]:
    """Manual pages, unless they are there because the package was installed there."""
    if os.path.realpath(found.man) == os.path.realpath(directory):
        return
    for section in ("man1", "man5"):
        names = sorted(os.listdir(f"{found.man}/{section}")) if os.path.isdir(f"{found.man}/{section}") else []
        for name in names:
            if name.partition(".")[0].startswith(("condor", "classad_eval", "htcondor")):
                yield Step(f"{directory}/{section}/{name}", "manual pages", _read(f"{found.man}/{section}/{name}"))


def _commands(found: Places, directory: str) -> Iterator[Step]:
    if os.path.realpath(found.bin) == os.path.realpath(directory):
        return
    for name in programs():
        yield Step(f"{directory}/{name}", "commands", target=f"{found.bin}/{name}")


def programs() -> list[str]:
    """The commands of this package."""
    from condor_py.cli.entry import PROGRAMS

    return sorted(PROGRAMS)


#: One line for the user.
Say = Callable[[str], None]


class Record:
    """The files written, as path -> hash of the content (or the target of a link), kept in a file of its own."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.made: dict[str, str] = {}
        try:
            with open(path, encoding="utf-8") as file:
                found = json.load(file)
            self.made = {str(name): str(mark) for name, mark in found.items()}
        except FileNotFoundError:
            pass
        except (OSError, ValueError, AttributeError) as error:
            raise CondorError(f"condor_setup: cannot read {path}, which tells what was set up: {error}") from None

    def save(self) -> None:
        """Writes it; nothing is left of it when nothing was made."""
        if not self.made:
            if os.path.exists(self.path):
                os.unlink(self.path)
            return
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        _replace(self.path, (json.dumps(self.made, indent=1, sort_keys=True) + "\n").encode())


def mark_of(step: Step) -> str:
    """Return the text that a record keeps of a step."""
    return f"link {step.target}" if step.target else hashlib.sha256(step.content).hexdigest()


def _mark_there(path: str) -> str:
    """The same of what is there; "" for nothing."""
    if os.path.islink(path):
        return f"link {os.readlink(path)}"
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except FileNotFoundError:
        return ""
    except IsADirectoryError:
        return "directory"


def install(steps: Iterable[Step], root: str, record: Record, say: Say, *, dry_run: bool) -> None:
    """Makes what is not there yet below ``root``; says a line for each kind of thing. OSError."""
    done: dict[str, list[str]] = {}
    try:
        for step in steps:
            if _carry(step, root, record, say, dry_run=dry_run):
                done.setdefault(step.what, []).append(root + step.path)
    finally:
        if not dry_run:
            record.save()
    for what, paths in done.items():
        say(f"{'would make ' if dry_run else ''}{what}: {_shown(paths)}")
    if not done:
        say("everything is there already")


def _carry(step: Step, root: str, record: Record, say: Say, *, dry_run: bool) -> bool:
    """Whether the step is ours and something was to do. What was there before us stays, be it the same or not."""
    path = root + step.path
    there, wanted = _mark_there(path), mark_of(step)
    if there and there != record.made.get(step.path):
        if there != wanted and not step.theirs:
            say(f"{path} is there and was not made by condor_setup: it stays")
        return False
    if dry_run:
        return there != wanted
    if there != wanted:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        _link(path, step.target) if step.target else _replace(path, step.content)
    if not step.theirs:
        record.made[step.path] = wanted
    return there != wanted


def remove(root: str, record: Record, say: Say, *, dry_run: bool) -> None:
    """Remove what was made and has not been changed since. OSError."""
    gone: list[str] = []
    for name, mark in sorted(record.made.items()):
        path = root + name
        there = _mark_there(path)
        if there and there != mark:
            say(f"{path} was changed: it stays")
        elif there:
            gone.append(path)
            if not dry_run:
                os.unlink(path)
    for directory in sorted({os.path.dirname(path) for path in gone}):
        there = _shown([path for path in gone if os.path.dirname(path) == directory])
        say(f"{'would remove' if dry_run else 'removed'}: {there}")
    if not record.made:
        say("there is nothing that condor_setup has made")
    if not dry_run:
        record.made.clear()
        record.save()


def _shown(paths: list[str]) -> str:
    """A path, or a directory and how many things of it."""
    if len(paths) < 3:
        return ", ".join(paths)
    directories = sorted({os.path.dirname(path) for path in paths})
    return ", ".join(f"{d} ({sum(os.path.dirname(path) == d for path in paths)})" for d in directories)


def _link(path: str, target: str) -> None:
    new = f"{path}.new"
    remove_if_there(RealFs(), new)  # of a run that was killed
    os.symlink(target, new)
    os.replace(new, path)


def _replace(path: str, content: bytes) -> None:
    """The file at once with all of its content."""
    replace_file(RealFs(), path, content, 0o644, durable=True)
