#!/bin/sh
trap 'echo tidied up; exit 0' INT
while :; do sleep 0.1; done
