"""The script that a batch system runs in place of a job: it starts the program and writes down how it ended.

It is plain sh, for it runs wherever the batch system wants. In the directory of notices it leaves ``NAME.began`` (made
so that it can be made only once: the second one does nothing, and the job runs once however often it was
submitted; one that its batch system starts again before it has ended adds a line) and ``NAME.ended``. A shell does not
tell a signal from an exit code above 128; awk does, where it is not that of busybox. Without such an awk the words of
the shell have to do, on its own standard error, ``NAME.said``: it says nothing of SIGINT and SIGPIPE (the program has a
subshell of its own for that, where its streams are redirected).
"""

from __future__ import annotations

import errno
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote

#: Runs its argument, and prints ``exited CODE`` or ``signal NUMBER`` (256 more in a status: it left a core). An awk
#: that does not tell of signals fails before.
_ASKS = (
    'BEGIN { if (system("kill -9 $$") != 265) exit 127; s = system(ARGV[1]); if (s > 512) s -= 256; '
    'if (s > 256) print "signal " (s - 256); else print "exited " s }'
)
#: Names that a shell can export; some are bash's own and cannot be set there.
_VARIABLE = re.compile(r"(?!(E?UID|PPID|SHELLOPTS|BASHOPTS|BASH_VERSINFO)\Z)[A-Za-z_][A-Za-z0-9_]*\Z")


@dataclass(frozen=True, slots=True)
class Program:
    """The program that the script runs, with its arguments, directory and streams. ``notices`` is the beginning of the
    paths of the notices; ``variable`` names the variable with the number of the batch job."""

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
    #: Whether the program is a script, which begins with the name of its interpreter; None: that is seen there.
    is_script: bool | None = None


def script(what: Program) -> str:
    """The text of the script."""
    notices = quote(what.notices)
    plain = {name: value for name, value in what.environment.items() if _VARIABLE.match(name)}
    others = [f"{name}={value}" for name, value in what.environment.items() if name not in plain and name]
    words = [what.program, *what.arguments]
    if others:
        words = ["/usr/bin/env", "--", *others, *words]
    arrow = ">>" if what.appends else ">"
    both = what.stdout == what.stderr and what.stdout != "/dev/null"
    error = "2>&1" if both else f"2{arrow}{quote(what.stderr)}"
    program = quote(what.program)
    # The variables are the program's alone: none of them gets into the way of this script or of awk.
    exports = "".join(f"export {name}={quote(value)}\n" for name, value in plain.items())
    streams = f"< {quote(what.stdin)} {arrow} {quote(what.stdout)} {error}"
    command = f"{exports}exec {' '.join(map(quote, words))} {streams}"
    begins, began = f'echo "${what.variable} ${{HOSTNAME:-$SLURMD_NODENAME}}"', '"$notices.began"'
    lines = [
        "#!/bin/sh",
        f"# HTCondor job {what.job}",
        "umask 022",
        f"notices={notices}",
        "set -C",
        f"if ! {{ {begins} > {began}; }} 2> /dev/null; then",
        f"  read -r other rest < {began} || exit 0",
        f'  [ "$other" = "${what.variable}" ] && ! [ -e "$notices.ended" ] || exit 0',
        f"  {begins} >> {began}",
        "fi",
        "set +C",
        'exec 2> "$notices.said"',
        f"if ! cd {quote(what.directory)}; then {_cannot(errno.ENOENT)}; fi",
        f"if ! [ -f {program} ]; then echo {program}: No such file or directory >&2; {_cannot(errno.ENOENT)}; fi",
        f"if ! [ -x {program} ]; then echo {program}: Permission denied >&2; {_cannot(errno.EACCES)}; fi",
        *_asks_for_interpreter(program, what.is_script),
        f"command={quote(command)}",
        f"""how=$(awk '{_ASKS}' "$command" 2> /dev/null)""",
        "code=$?",
        # 126 and 127: nothing has begun: there is no such awk, or the command is too long for one argument.
        'case "$code" in',
        '  126 | 127) (eval "$command"); code=$?; how="exit $code" ;;',
        '  0) code=${how#* }; [ "${how% *}" = exited ] || code=$((code + 128)) ;;',
        '  *) how="signal $((code - 128))" ;;',
        "esac",
        '{ times; echo "$how"; } > "$notices.ended"',
        # With these codes batch systems run a job again, or keep it as one in error.
        'case "$code" in 99 | 100) code=1 ;; esac',
        'exit "$code"',
        "",
    ]
    return "\n".join(lines)


def _cannot(number: int) -> str:
    """The program was not started, because of this error of the system."""
    return f'echo "cannot {number}" > "$notices.ended"; exit 127'


def _asks_for_interpreter(program: str, is_script: bool | None) -> list[str]:
    """A script whose interpreter is missing does not start, which a shell would tell as an exit code."""
    if is_script is False:
        return []
    seen = "true" if is_script else f"""[ "$(head -c 2 {program} 2> /dev/null)" = '#!' ]"""
    complaint = f"{program}': invalid interpreter ('\"$first\"') specified on first line of script'"
    return [
        f"if {seen}; then",
        f"  read -r first rest < {program}",
        '  first=${first#??}; [ -n "$first" ] || first=${rest%% *}',
        f'  if [ -n "$first" ] && ! [ -e "$first" ]; then echo {complaint} >&2; {_cannot(errno.ENOENT)}; fi',
        "fi",
    ]
