"""What tools, bindings and jobs that chirp ask of the schedd.

Who asks is what the kernel says of the connection. Requests about many jobs take ``Chosen``.
"""

from __future__ import annotations

from condor_py.model.messages.codec import Request
from condor_py.model.messages.common import Done


class Reschedule(Request[Done], op="reschedule"):
    """Negotiate now."""
