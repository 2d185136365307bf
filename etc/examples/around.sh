#!/bin/sh
# Runs before the program of scripts.sub, and after it.
echo "$1 ${_CONDOR_MAINJOB_EXIT_CODE:+after exit code $_CONDOR_MAINJOB_EXIT_CODE}" > "$1.txt"
