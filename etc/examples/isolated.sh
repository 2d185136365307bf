#!/bin/sh
# What a job sees of its machine.
echo "network interfaces: $(sed 1,2d /proc/net/dev | cut -d: -f1 | tr -d ' ' | tr '\n' ' ')"
echo "processes: $(ls /proc | grep -c '^[0-9]')"
echo "files in /tmp: $(ls /tmp | wc -l)"
echo "disk in KB: $(df -k . | tail -1 | awk '{print $2}')"
