#!/bin/sh
# Shows each argument on a line of its own, between brackets.
for word in "$@"; do
    echo "[$word]"
done
