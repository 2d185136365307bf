#!/bin/sh
# Says where it runs, takes a second.
echo "Hello from job ${1:-?} on $(hostname)"
sleep 1
