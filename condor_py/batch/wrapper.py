"""The script that a batch system runs in place of a job: it starts the program and writes down how it ended.

It is plain sh, for it runs wherever the batch system wants. In the directory of notices it leaves ``NAME.began`` (made
so that it can be made only once: whoever comes second does nothing, and the job runs once however often it was
submitted) and ``NAME.ended``. A shell tells of a signal only in words, on its own standard error: ``NAME.said``
(which is why the program has a subshell of its own, where its streams are redirected).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


@dataclass(frozen=True, slots=True)
class Program:
    """What the script runs: a program with its arguments in a directory, and its streams. ``notices`` is the beginning
    of the paths of the notices; ``variable`` tells the number of the batch job."""

    job: str
    directory: str
    program: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    stdin: str
    stdout: str
    stderr: str
    notices: str
    variable: str
    appends: bool = False


def script(what: Program) -> str:
    """The text of the script."""
    notices = quote(what.notices)
    plain = {name: value for name, value in what.environment.items() if _VARIABLE.match(name)}
    others = [f"{name}={value}" for name, value in what.environment.items() if name not in plain and name]
    words = [what.program, *what.arguments]
    if others:
        words = ["/usr/bin/env", *others, *words]
    arrow = ">>" if what.appends else ">"
    both = what.stdout == what.stderr and what.stdout != "/dev/null"
    error = "2>&1" if both else f"2{arrow}{quote(what.stderr)}"
    program, cannot = quote(what.program), 'echo cannot > "$notices.ended"; exit 127'
    lines = [
        "#!/bin/sh",
        f"# HTCondor job {what.job}",
        "umask 022",
        f"notices={notices}",
        f'if ! (set -C; echo "${what.variable} ${{HOSTNAME:-$SLURMD_NODENAME}}" > "$notices.began") 2> /dev/null; then',
        '  read -r other rest < "$notices.began" || exit 0',
        f'  [ "$other" = "${what.variable}" ] || exit 0',
        "fi",
        'exec 2> "$notices.said"',
        f"if ! cd {quote(what.directory)}; then {cannot}; fi",
        f"if ! [ -f {program} ]; then echo {program}: No such file or directory >&2; {cannot}; fi",
        f"if ! [ -x {program} ]; then echo {program}: Permission denied >&2; {cannot}; fi",
        *(f"export {name}={quote(value)}" for name, value in plain.items()),
        f"(exec {' '.join(map(quote, words))} < {quote(what.stdin)} {arrow} {quote(what.stdout)} {error})",
        "code=$?",
        '{ times; echo "exit $code"; } > "$notices.ended"',
        "exit $code",
        "",
    ]
    return "\n".join(lines)
