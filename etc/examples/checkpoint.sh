#!/bin/sh
# Does $1 steps of a second each; the lines of steps.txt say how far it is.
step=$(grep -c '^step' steps.txt 2>/dev/null || true)
[ "${step:-0}" = 0 ] || echo "going on after step $step" >> steps.txt
while [ "${step:-0}" -lt "$1" ]; do
    sleep 1
    step=$((step + 1))
    echo "step $step" >> steps.txt
done
