"""Prints the directory that makes programs find this module as ``htcondor2`` and its relatives."""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    sys.stdout.write(os.path.join(os.path.dirname(os.path.abspath(__file__)), "shims") + "\n")
