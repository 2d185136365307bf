#!/bin/sh
# Prints a submit line that says which directory condor_submit runs in.
# Files named below $(here) are found whatever initialdir says.
echo "here = $PWD"
