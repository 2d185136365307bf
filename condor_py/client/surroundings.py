"""Files, programs and items as submit files read them on this machine."""

from __future__ import annotations

import os
import sys
import time

from condor_py.model.errors import CondorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from condor_py.lang.submit.submit_file import Surroundings


def surroundings() -> Surroundings:
    """Return what submit files read here. Raises CondorError when the current directory is gone."""
    from condor_py.lang.config.loader import read_text, run_command
    from condor_py.lang.submit.items import ItemSources
    from condor_py.lang.submit.submit_file import Surroundings

    def read(path: str) -> str:
        return sys.stdin.read() if path == "-" else read_text(path)

    def run(command: str) -> str:
        return run_command(command)[1]

    def glob(pattern: str) -> list[str]:
        from glob import glob as names

        return sorted(name if name.endswith("/") or not os.path.isdir(name) else name + "/" for name in names(pattern))

    def warn(text: str) -> None:
        sys.stdout.flush()
        sys.stderr.write(text)

    sources = ItemSources(read, run, glob, warn)
    try:
        here = os.getcwd()
    except OSError:
        text = "\nERROR: the current directory does not exist any more; submit from one that does"
        raise CondorError(text) from None
    return Surroundings(os.environ, None, int(time.time()), here, sources)
