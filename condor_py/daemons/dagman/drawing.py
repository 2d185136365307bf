"""SVG pictures beside DOT files, by Graphviz where that is installed (ours)."""

from __future__ import annotations

import os
import shutil
import subprocess

#: Graphs of more nodes take Graphviz too long, and nobody can look at them.
MOST_NODES = 1000
#: Seconds that the last picture may take when the DAG is over.
_PATIENCE = 10.0


class Drawer:
    """Draws one picture at a time, while the DAG goes on; of those asked for meanwhile the last one follows."""

    def __init__(self, nodes: int) -> None:
        self._program = shutil.which("dot") if nodes <= MOST_NODES else None
        self._work: tuple[subprocess.Popen[bytes], str] | None = None
        self._next = ""

    def draw(self, name: str) -> None:
        """Draw the DOT file ``name`` as ``name``.svg."""
        if self._program:
            self._next = name
            self.turn()

    def turn(self) -> None:
        """See whether a picture is done; begin the next."""
        if self._work is not None and self._work[0].poll() is None:
            return
        self._take()
        name, self._next = self._next, ""
        if not name or self._program is None:
            return
        command = [self._program, "-Tsvg", "-o", f"{name}.svg.tmp", name]
        nothing = subprocess.DEVNULL
        try:
            made = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)
        except OSError:
            self._program = None  # no pictures then
            return
        self._work = (made, name)

    def finish(self) -> None:
        """The DAG is over: wait for the last picture, but not for long."""
        while self._work is not None:
            try:
                self._work[0].wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                self._work[0].kill()
                self._work[0].wait()
                self._next = ""
            self.turn()

    def _take(self) -> None:
        """A picture that is done takes its name; one that failed goes."""
        if self._work is None:
            return
        (process, name), self._work = self._work, None
        made = f"{name}.svg.tmp"
        try:
            if process.returncode == 0:
                os.replace(made, f"{name}.svg")
            else:
                os.unlink(made)
        except OSError:
            return
