"""``Schedd``, and how the names of jobs are read."""

from condor_py.bindings import Schedd as Schedd
from condor_py.bindings.jobspec import job_spec_hack as job_spec_hack
