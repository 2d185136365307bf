# quickstart.sh ACCOUNT WANTED: bin/quickstart in a clone. WANTED: runs, venv (it says that the venv module is missing) or
# python (it says that Python is too old).
. /trial/scripts/common.sh
account=$1 wanted=$2
if [ "$(id -un)" != "$account" ]; then
    useradd --create-home --shell /bin/bash "$account"
    exec runuser -u "$account" -- env HOME="/home/$account" LOGNAME="$account" USER="$account" sh "$0" "$@"
fi
case $PYTHON in */opt/*) PATH=${PYTHON%/*}:$PATH ;; esac
clone=$HOME/condor_py
[ "$account" != root ] || clone=/opt/condor_py
cp -r /trial/clone "$clone"
cd "$clone"
fact python "$("$PYTHON" -c 'import platform; print(platform.python_version())')"
step bin/quickstart
bin/quickstart >/tmp/said 2>&1 && code=0 || code=$?
case $wanted in
    venv) grep -q 'apt-get install python3-venv' /tmp/said && [ "$code" = 1 ] || fail "$code: $(cat /tmp/said)" ;;
    python) grep -q 'needs Python 3.11 or newer; here is' /tmp/said && [ "$code" = 1 ] || fail "$code: $(cat /tmp/said)" ;;
    runs)
        grep -q '^Hello from job' /tmp/said && [ "$code" = 0 ] || fail "$code: $(cat /tmp/said)"
        fact compiled "$(PATH=$clone/bin:$PATH compiled)"
        step bin/quickstart a second time
        bin/quickstart >/tmp/said 2>&1 || fail "$(cat /tmp/said)"
        if grep -q 'Setting up' /tmp/said; then fail "$(cat /tmp/said)"; fi
        ;;
esac
[ "$wanted" = runs ] || [ ! -e .venv ] || fail "a .venv is left"
step end
