"""Carrying a set-up out, and taking it back: what was written is remembered, and what others changed stays."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable

from condor_py.cli.setup.plan import Step
from condor_py.model.errors import CondorError
from condor_py.store.fs import RealFs, remove_if_there, replace_file

#: One line for the user.
Say = Callable[[str], None]


class Record:
    """What was written, as path -> sum of its content (or the target of a link), in a file of its own."""

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
    """What a record says of a step."""
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


def _carry(step: Step, root: str, record: Record, say: Say, *, dry_run: bool) -> bool:
    """Whether the step is ours and done. What was there before us stays, be it the same or not."""
    path = root + step.path
    there, wanted = _mark_there(path), mark_of(step)
    if there and there != record.made.get(step.path):
        if there != wanted and not step.theirs:
            say(f"{path} is there and was not made by condor_setup: it stays")
        return False
    if dry_run:
        return True
    if there != wanted:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        _link(path, step.target) if step.target else _replace(path, step.content)
    if not step.theirs:
        record.made[step.path] = wanted
    return True


def remove(root: str, record: Record, say: Say, *, dry_run: bool) -> None:
    """Takes away what was made and nobody has changed. OSError."""
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
