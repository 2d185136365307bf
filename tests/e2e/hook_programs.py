"""Hooks of jobs, and what they were told."""

from __future__ import annotations

from pathlib import Path

from pool import PersonalPool


def hook(pool: PersonalPool, name: str, text: str, keyword: str = "MINE") -> None:
    """Gives a pool that does not run yet a hook."""
    pool.knob(f"{keyword}_HOOK_{name}", hook_program(pool, name, text))


def hook_program(pool: PersonalPool, name: str, text: str) -> Path:
    """A program that stores what it is given as NAME.in and NAME.args."""
    path = pool.work / f"hook_{name}"
    path.write_text(f"#!/bin/sh\ncat > {pool.work}/{name}.in\necho $0 $* > {pool.work}/{name}.args\n{text}\n")
    path.chmod(0o755)
    return path


def told(pool: PersonalPool, name: str) -> dict[str, str]:
    """The ad that a hook read."""
    lines = (pool.work / f"{name}.in").read_text().splitlines()
    pairs = [line.split(" = ", 1) for line in lines]
    assert [pair[0] for pair in pairs] == sorted(pair[0] for pair in pairs)
    return dict(pairs)
