"""``htcondor.htchirp.htchirp``: where HTCondor's package has its class."""

from importlib import import_module as _import_module

_import_module("_condor_py_home")

from condor_py.client.chirp import condor_chirp  # noqa: E402
from condor_py.client.chirp_client import HTChirp  # noqa: E402

__all__ = ["HTChirp", "condor_chirp"]
