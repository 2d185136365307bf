#!/bin/sh
# Shows the size of the slot that the job got.
grep -E '^(Cpus|Memory|Disk) ' "${_CONDOR_MACHINE_AD:?}"
