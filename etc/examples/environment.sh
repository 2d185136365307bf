#!/bin/sh
# Shows the variables that environment.sub sets; fails when one is missing.
echo "COLOUR=${COLOUR:?}"
echo "MOTTO=${MOTTO:?}"
echo "NUMBER=${NUMBER:?}"
echo "HOME is ${HOME:+set}"
