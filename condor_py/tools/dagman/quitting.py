"""How condor_dagman ends before its DAG runs."""

from __future__ import annotations


class Quit(Exception):
    """End with this exit code; why has been said in the log."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code
