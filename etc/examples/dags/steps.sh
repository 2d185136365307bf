#!/bin/sh
# The steps of the examples: steps.sh WHAT [ARGUMENT ...]
what=$1
shift
case $what in
    # diamond.dag
    numbers) seq 1 1000 > numbers.txt ;;
    odd)     awk '$1 % 2'  numbers.txt | awk '{ sum += $1 } END { print sum }' > odd.txt ;;
    even)    awk '!($1 % 2)' numbers.txt | awk '{ sum += $1 } END { print sum }' > even.txt ;;
    total)   cat odd.txt even.txt | awk '{ sum += $1 } END { print sum }' > total.txt ;;
    # sweep.dag: the nearer to 7, the better
    try)     awk -v x="$1" 'BEGIN { print (x - 7) * (x - 7), x }' > "try.$1.txt" ;;
    best)    sort -n try.*.txt | head -n 1 > best.txt ;;
    # splices.dag: $1 is SPLICE+write or SPLICE+check
    line)    name=${1%%+*}
             case $1 in
                 *+write) echo "line of $name" > "line.$name.txt" ;;
                 *+check) grep -q "line of $name" "line.$name.txt" ;;
             esac ;;
    gather)  cat line.*.txt > lines.txt ;;
    # retries.dag
    flaky)   test "$1" -ge 1 || { echo "not at the first try" >&2; exit 1; } ;;
    broken)  test -e mended || { echo "steps.sh: there is no file mended" >&2; exit 3; } ;;
    result)  echo "done at last" > result.txt ;;
    # nested.dag
    report)  echo "the DAG ended with status $1" > report.txt ;;
    *)       echo "steps.sh: $what is no step" >&2; exit 2 ;;
esac
