"""The file system as the language of .dag files sees it."""

from __future__ import annotations

import os
import stat

from condor_py.lang.dag.reader import FileProblem


class DagFiles:
    """Reads .dag files; errors are reported in HTCondor's words."""

    def read(self, path: str) -> str:
        """The text of a file. Raises FileProblem."""
        try:
            mode = os.stat(path).st_mode
        except OSError:
            raise FileProblem("Provided file path does not exist") from None
        if not stat.S_ISREG(mode):
            raise FileProblem("Provided file path is not a file")
        try:
            with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
                text = file.read()
        except OSError:
            raise FileProblem("Failed to open file") from None
        before, null, _ = text.partition("\0")  # no name of a file or program may have one
        if null:
            line = before.count("\n") + 1
            raise FileProblem(f"Line {line} contains a null byte")
        return text

    def enter(self, path: str) -> None:
        """FileProblem when ``path`` cannot be entered."""
        try:
            os.close(os.open(path, os.O_PATH | os.O_DIRECTORY))
        except OSError as error:
            raise FileProblem(os.strerror(error.errno or 0)) from None
