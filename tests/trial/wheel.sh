# wheel.sh ACCOUNT COMPILED FILE NEWER: installs FILE as ACCOUNT into an environment of its own, runs a pool, installs NEWER over
# it, and takes it away. COMPILED: how many modules in C are to be in use.
. /trial/scripts/common.sh
account=$1 expected=$2 file=$3 newer=$4
if [ "$(id -un)" != "$account" ]; then
    useradd --create-home --shell /bin/bash "$account"
    exec runuser -u "$account" -- env HOME="/home/$account" LOGNAME="$account" USER="$account" sh "$0" "$@"
fi
prefix=$HOME/condor
[ "$account" != root ] || prefix=/opt/condor

step an environment
"$PYTHON" -m venv "$prefix"
pip=$prefix/bin/pip
$pip install -q typer tomli-w psutil filelock platformdirs
fact python "$("$PYTHON" -c 'import platform; print(platform.python_version())')"
listing "$prefix" >/tmp/before

step "pip install ${file##*/}"
export CFLAGS=-UNDEBUG # of what is compiled here: with the assertions of Python's headers
$pip install -q "$file"
$pip check -q
PATH=$prefix/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
[ "$(compiled)" = "$expected" ] || fail "not $expected modules in C are in use: $(condor_version -compiled)"
fact compiled "$(compiled)"

start_pool
run_job "$prefix/share/condor_py/examples"
try_papers "$prefix" "$prefix/share/condor_py/completions/condor.bash"
try_cron "$prefix/share/condor_py/cron"
try_setup
stop_pool

step "pip install --upgrade ${newer##*/}"
$pip install -q --upgrade "$newer"
condor_version | grep -q 'condor_py-9\.'
start_pool
condor_history "$cluster" -af JobStatus | grep -q 4
run_job "$prefix/share/condor_py/examples"
stop_pool

step pip uninstall
$pip uninstall -q -y condor_py
listing "$prefix" >/tmp/after
diff /tmp/before /tmp/after
step end
