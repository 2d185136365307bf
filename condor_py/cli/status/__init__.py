"""condor_status: what the daemons publish about slots, queues and themselves."""

from condor_py.cli.status.main import main
from condor_py.cli.status.spec import SPECS

__all__ = ["SPECS", "main"]
