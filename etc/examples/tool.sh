#!/bin/sh
# Says what the job's process is and how it stands, as a debugger or profiler would attach to it, and lets it continue.
tr '\0' ' ' < /proc/$TDP_AP_PID/cmdline
grep State /proc/$TDP_AP_PID/status
kill -CONT $TDP_AP_PID
