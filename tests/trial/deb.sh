# deb.sh FILE NEWER: installs Debian's package FILE as an administrator does, lets another account submit to root's pool, installs
# NEWER over it, removes and purges it, and looks for what is left.
. /trial/scripts/common.sh
file=$1 newer=$2
fact python "$("$PYTHON" -c 'import platform; print(platform.python_version())')"
useradd --create-home --shell /bin/bash ann
# Everything but what apt, dpkg, adduser and Python keep of other packages, and what accounts have at home.
everything() {
    find / -xdev \( -path /tmp -o -path /trial -o -path /proc -o -path /dev -o -path '/var/cache/*' -o -path /var/log \
        -o -path '/var/lib/dpkg/*' -o -path '/var/lib/apt/*' -o -name __pycache__ -o -path '/home/*' \
        -o -path /root -o -path /run/adduser -o -name '*-' \) -prune \
        -o -print | sort
    find /var/log -name '*condor*'
    find / -xdev -path '*condor*' -name __pycache__ -not -path '/tmp/*' -not -path '/trial/*'
    cut -d: -f1 /etc/passwd /etc/group
}
everything >/tmp/before

step apt-get install
apt-get -q -y install "$file" >/tmp/log 2>&1 || fail "$(cat /tmp/log)"
getent passwd condor >/dev/null
[ ! -e /var/lib/condor/spool ] || fail "a pool was started"
[ "$(compiled)" = 5 ] || fail "$(condor_version -compiled)"
fact compiled 5
systemd=/usr/lib/systemd/system/condor.service
[ -f $systemd ] || systemd=/lib/systemd/system/condor.service
grep -q '^ExecStart=/usr/bin/condor_master -f$' $systemd
[ "$(dpkg-query -W -f '${Conffiles}' condor-py | grep -c /etc/condor)" = 2 ]

start_pool
[ "$(condor_config_val LOCAL_DIR)" = /var/lib/condor ]
run_job /usr/share/condor_py/examples
try_papers /usr /usr/share/bash-completion/completions/condor_submit
try_cron /usr/share/condor_py/cron
try_setup

step a job of another account
as_ann() { runuser -u ann -- env HOME=/home/ann LOGNAME=ann USER=ann sh -c "$1"; }
as_ann '. /trial/scripts/common.sh; run_job /usr/share/condor_py/examples; try_setup'
condor_history -limit 1 -af Owner | grep -q ann
as_ann 'python3 -c "from condor_py.htcondor import htcondor2" 2>/dev/null || python3 -c "import condor_py.htcondor"'

step apt-get install of a newer version
apt-get -q -y install "$newer" >/tmp/log 2>&1 || fail "$(cat /tmp/log)"
grep -q 'until it is restarted' /tmp/log || fail "$(cat /tmp/log)"
as_ann '. /trial/scripts/common.sh; run_job /usr/share/condor_py/examples'
stop_pool
start_pool
condor_version | grep -q 'condor_py-9\.'
condor_history -limit 1 -af Owner | grep -q ann

step apt-get remove
apt-get -q -y remove condor-py >/tmp/log 2>&1 || fail "$(cat /tmp/log)"
if grep -ls condor_py/daemons /proc/[0-9]*/cmdline; then fail "the pool still runs"; fi
[ -f /etc/condor/condor_config ] && [ -d /var/lib/condor/spool ]

step apt-get purge
apt-get -q -y purge condor-py >/tmp/log 2>&1 || fail "$(cat /tmp/log)"
everything >/tmp/after
diff /tmp/before /tmp/after
step end
