#!/bin/sh
# Counts lines, words and characters of a file.
wc "$1"
