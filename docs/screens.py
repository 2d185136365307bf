"""Makes the pictures of README that show a pool at work: docs/condor_top.svg and docs/condor_report.png.

python docs/screens.py             two minutes: a pool of its own runs jobs of three people

It needs pyte (``condor_py[test]``) and, for the second picture, chromium. Names are those of the guides.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shutil
import socket
import struct
import subprocess
import tempfile
import termios
import time
from html import escape
from pathlib import Path

import pyte

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
_COLUMNS, _LINES = 96, 27
#: Seconds for which jobs run before the pictures are made.
_RUN = 90
#: A cluster: who, how many, the program with its arguments, memory in MB.
_JOBS = (
    ("eve", 2, ("/bin/sh", "-c 'exit 3'"), 200),
    ("ann", 80, ("/bin/sleep", "$RANDOM_INTEGER(2,6)"), 300),
    ("ben", 50, ("/bin/sleep", "$RANDOM_INTEGER(3,8)"), 900),
    ("eve", 30, ("/bin/sleep", "$RANDOM_INTEGER(3,9)"), 1500),
)
_SUBMIT = """\
executable = {program}
arguments = "{arguments}"
accounting_group_user = {user}
request_memory = {memory}
on_exit_hold = ExitCode == 3
on_exit_hold_reason = "the program asked for help"
queue {count}
"""
_COLOURS = {
    "black": "#000", "red": "#c33", "green": "#396", "brown": "#a70", "blue": "#36c", "magenta": "#93a", "cyan": "#28a",
    "white": "#ddd",
}  # fmt: skip
_INK, _PAPER = "#223", "#fcfcfa"
_WIDE, _HIGH = 8.43, 18
#: A space that SVG keeps.
NO_BREAK = "\N{NO-BREAK SPACE}"


def main() -> None:
    """Run the pool, and write both pictures."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        directory.chmod(0o755)
        # Slots change hands after some seconds: the jobs are short, and so is the report.
        settings = (ROOT / "etc" / "examples" / "pool.config").read_text(encoding="utf-8")
        (directory / "pool.config").write_text(f"{settings}CLAIM_WORKLIFE = 6\n", encoding="utf-8")
        environment = {
            **os.environ, "CONDOR_CONFIG": str(directory / "pool.config"), "PATH": f"{ROOT}/bin:{os.environ['PATH']}",
        }  # fmt: skip

        def tool(*words: str, text: str | None = None) -> str:
            return subprocess.run(
                words, cwd=directory, env=environment, input=text, capture_output=True, text=True, check=True
            ).stdout

        tool("condor_master")
        try:
            begin = int(time.time())
            for user, count, (program, arguments), memory in _JOBS:
                text = _SUBMIT.format(user=user, count=count, program=program, arguments=arguments, memory=memory)
                tool("condor_submit", "-terse", text=text)
            time.sleep(_RUN)
            (DOCS / "condor_top.svg").write_text(drawn(screen(environment)), encoding="utf-8")
            tool("condor_report", "-since", str(begin), "-o", "report.html")
            photograph(directory)
        finally:
            tool("condor_rm", "-all")
            tool("condor_off", "-master", "-fast")
            subprocess.run([f"{ROOT}/.venv/bin/python", "-I", f"{ROOT}/condor_py/daemons/gone.py"], env=environment)


def screen(environment: dict[str, str]) -> pyte.Screen:
    """What condor_top shows on a terminal after some seconds."""
    pid, terminal = pty.fork()
    if not pid:
        os.execvpe("condor_top", ["condor_top"], {**environment, "TERM": "xterm-256color"})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", _LINES, _COLUMNS, 0, 0))
    shown = pyte.Screen(_COLUMNS, _LINES)
    stream = pyte.ByteStream(shown)
    deadline = time.monotonic() + 6
    while (left := deadline - time.monotonic()) > 0:
        if select.select([terminal], [], [], left)[0]:
            stream.feed(os.read(terminal, 65536))
    os.write(terminal, b"q")
    os.close(terminal)
    os.waitpid(pid, 0)
    return shown


def drawn(shown: pyte.Screen) -> str:
    """A screen as SVG: a text for each run of characters that look alike."""
    wide, high = round(_COLUMNS * _WIDE + 24), _LINES * _HIGH + 24
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" font-family="DejaVu Sans Mono, Menlo, '
        'Consolas, monospace" font-size="14">',
        f'<rect width="{wide}" height="{high}" rx="8" fill="{_PAPER}" stroke="#aab"/>',
    ]
    names = {socket.gethostname(): "lab", "root": "alice"}
    for row in range(_LINES):
        for column, text, style in _runs(shown, row):
            ink, paper, bold = style
            x, y = 12 + column * _WIDE, 12 + row * _HIGH
            for found, name in names.items():
                text = re.sub(rf"\b{re.escape(found)}( *)", lambda m, n=name: (n + m[1]).ljust(len(m[0])), text)
            if paper != _PAPER:
                lines.append(
                    f'<rect x="{x:.1f}" y="{y}" width="{len(text) * _WIDE:.1f}" height="{_HIGH}" fill="{paper}"/>'
                )
            if text.strip():
                weight = ' font-weight="bold"' if bold else ""
                lines.append(
                    f'<text x="{x:.1f}" y="{y + 14}" fill="{ink}"{weight} textLength="{len(text) * _WIDE:.1f}">'
                    f"{escape(text).replace(' ', NO_BREAK)}</text>"
                )
    return "\n".join([*lines, "</svg>"]) + "\n"


def _runs(shown: pyte.Screen, row: int) -> list[tuple[int, str, tuple[str, str, bool]]]:
    """(column, text, style) for each run of one style."""
    found: list[tuple[int, str, tuple[str, str, bool]]] = []
    for column in range(_COLUMNS):
        cell = shown.buffer[row][column]
        ink = _INK if cell.fg == "default" else _COLOURS.get(cell.fg, f"#{cell.fg}")
        paper = _PAPER if cell.bg == "default" else _COLOURS.get(cell.bg, f"#{cell.bg}")
        style = (paper, ink, cell.bold) if cell.reverse else (ink, paper, cell.bold)
        if found and found[-1][2] == style:
            found[-1] = (found[-1][0], found[-1][1] + cell.data, style)
        else:
            found.append((column, cell.data, style))
    return found


def photograph(directory: Path) -> None:
    """Write the picture of the report's page."""
    page = directory / "report.html"
    names = page.read_text(encoding="utf-8").replace(socket.gethostname(), "lab")
    page.write_text(names, encoding="utf-8")
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        print("no chromium here: docs/condor_report.png stays as it is")
        return
    words = [
        browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1000,560",
        f"--screenshot={DOCS / 'condor_report.png'}", page.as_uri(),
    ]  # fmt: skip
    subprocess.run(words, check=True, capture_output=True, timeout=120)


if __name__ == "__main__":
    main()
