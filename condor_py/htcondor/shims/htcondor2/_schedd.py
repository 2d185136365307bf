"""``Schedd``, and how the names of jobs are read."""

from condor_py.htcondor import Schedd as Schedd
from condor_py.htcondor.jobspec import job_spec_hack as job_spec_hack
