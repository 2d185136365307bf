#!/bin/sh
# Greets everybody named on the command line, one line each.
for name in "$@"; do
    echo "Good morning, $name."
done
