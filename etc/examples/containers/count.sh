#!/bin/sh
wc -w < "$1" > total.txt
echo "counted in $(hostname)"
