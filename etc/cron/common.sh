# Sourced by the scripts of this directory: finds the tools, and lets only one of a kind run at a time.
#
# cron gives a job next to no environment: the pool is that of the account, or the one whose CONDOR_CONFIG the crontab
# names.
set -eu
here=$(cd "$(dirname -- "$0")" && pwd)
tools=$here/../../bin # of a checkout; pip puts this directory into PREFIX/share/condor_py/cron
[ -x "$tools/condor_q" ] || tools=$here/../../../bin
PATH=${CONDOR_BIN:-$tools}:/usr/local/bin:/usr/bin:/bin
export PATH
LC_ALL=C.UTF-8
export LC_ALL
umask 022

# Where reports and locks live; LOG of the pool when it can be written.
place=${CONDOR_CRON_DIR:-$(condor_config_val LOG)}

# one_at_a_time SECONDS: waits that long for the run before this one to end; exit 75 (try again later) when it does not.
one_at_a_time() {
    name=$(basename -- "$0")
    exec 9>"$place/.$name.lock"
    if ! flock -w "$1" 9; then
        echo "$name: the run before this one has not ended after $1 s" >&2
        exit 75
    fi
}

# keep N FILE...: removes all but the newest N files.
keep() {
    count=$1
    shift
    for old in $(ls -1t -- "$@" 2>/dev/null | tail -n "+$((count + 1))"); do
        rm -f -- "$old"
    done
}

# quietly COMMAND...: what it prints is shown when it fails only, for cron mails every output.
quietly() {
    said=$("$@" 2>&1) || {
        code=$?
        printf '%s\n' "$said" >&2
        return "$code"
    }
}
