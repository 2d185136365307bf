"""Hooks of jobs, and what they were told."""

from __future__ import annotations

from pool import PersonalPool


def hook(pool: PersonalPool, name: str, text: str, keyword: str = "MINE") -> None:
    """A hook program that stores what it is given as NAME.in and NAME.args."""
    path = pool.work / f"hook_{name}"
    path.write_text(f"#!/bin/sh\ncat > {pool.work}/{name}.in\necho $0 $* > {pool.work}/{name}.args\n{text}\n")
    path.chmod(0o755)
    pool.knob(f"{keyword}_HOOK_{name}", str(path))


def told(pool: PersonalPool, name: str) -> dict[str, str]:
    """The ad that a hook read."""
    lines = (pool.work / f"{name}.in").read_text().splitlines()
    pairs = [line.split(" = ", 1) for line in lines]
    assert [pair[0] for pair in pairs] == sorted(pair[0] for pair in pairs)
    return dict(pairs)
