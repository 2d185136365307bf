"""condor_who: whose jobs run on this machine, and whether its daemons do."""

from condor_py.cli.who.main import main
from condor_py.cli.who.spec import SPECS

__all__ = ["SPECS", "main"]
