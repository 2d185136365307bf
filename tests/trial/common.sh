# Sourced by the trials, which run in a root of their own: $PYTHON is the interpreter, /trial has what they are given.
set -eu
unset CDPATH
export LC_ALL=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive
export PIP_NO_INDEX=1 PIP_FIND_LINKS=/trial/packages PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PIP_NO_CACHE_DIR=1

# The last step begun is the one that a trial failed in.
step() { printf '== %s\n' "$*"; }
# What the line of a trial tells besides.
fact() { printf 'fact %s\n' "$*"; }
fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

# within SECONDS COMMAND: until it succeeds.
within() {
    left=$(($1 * 5))
    shift
    until eval "$*" 2>/dev/null; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || fail "not in time: $*"
        sleep 0.2
    done
}

# The files below a directory, but for what Python makes of modules that are not ours. (pip leaves empty directories.)
listing() { find "$@" -name __pycache__ -not -path '*/condor_py/*' -prune -o -not -type d -print | sort; }

# How many of the modules in C are in use.
compiled() { condor_version -compiled | grep -c ': in use$' || :; }

start_pool() {
    step condor_master
    condor_master
    within 60 'condor_status -af Name | grep -q slot1'
}

stop_pool() {
    step condor_off -master
    condor_off -master >/dev/null
    within 60 'condor_who -quick | grep -q Exited'
}

# A job from the examples below $1, in a directory that the account of a job reaches.
run_job() {
    step a job
    work=$(mktemp -d)
    chmod 755 "$work"
    cp -r "$1/." "$work"
    cd "$work"
    condor_submit hello.sub
    condor_q >/dev/null
    condor_wait -wait 60 hello.log
    grep '^Hello from job' hello.out
    cluster=$(sed -n '1s/^000 (0*\([0-9]*\)\..*/\1/p' hello.log)
    within 20 "condor_history $cluster -af Owner JobStatus | grep -q '^$(id -un) 4'"
    cd /
    rm -rf "$work"
}

# try_papers PREFIX COMPLETIONS: manual page and completions.
try_papers() {
    step manual page
    page=$(man -w condor_submit)
    case $page in "$1"/share/man/man1/condor_submit.1*) ;; *) fail "man finds $page" ;; esac
    man condor_submit | grep -q 'condor_submit'
    step completions
    bash -c '. "$1" && complete -p condor_submit' bash "$2" | grep -q condor_submit
    condor_complete knobs NUM_CP | grep -q NUM_CPUS
}

# Scripts of cron below $1, with the environment that cron gives.
try_cron() {
    for script in nightly-preen queue-report history-report weekly-report userprio-snapshot; do
        step "cron: $script"
        said=$(env -i HOME="$HOME" LOGNAME="$(id -un)" PATH=/usr/bin:/bin SHELL=/bin/sh "$1/$script" 2>&1) || fail "$said"
        [ -z "$said" ] || fail "it printed: $said"
    done
    ls "$(condor_config_val LOG)" | grep -q '^queue-.*\.txt$'
}

try_setup() {
    step condor_setup -dry-run
    said=$(condor_setup -dry-run)
    case $said in *'nothing was changed'*) ;; *) fail "$said" ;; esac
}
