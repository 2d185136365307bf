# deb-build.sh: makes the package of Debian in /trial/wheels/debian, and one with a higher version in /trial/wheels/debian-newer.
. /trial/scripts/common.sh
fact python "$("$PYTHON" -c 'import platform; print(platform.python_version())')"
cp -r /trial/clone /tmp/source
cd /tmp/source
for place in debian debian-newer; do
    step "debian/build, $place"
    [ $place = debian ] || sed -i 's/^__version__ = .*/__version__ = "9.0"/' condor_py/__init__.py
    debian/build "/trial/wheels/$place" >/tmp/log 2>&1 || fail "$(cat /tmp/log)"
done
step lintian
lintian --allow-root --tag-display-limit 0 /trial/wheels/debian/condor-py_*.deb >/tmp/said 2>&1 || :
fact lintian "$(grep -c '^E:' /tmp/said || :) errors, $(grep -c '^W:' /tmp/said || :) warnings"
cat /tmp/said
if grep -q '^[EW]:' /tmp/said; then fail "lintian has something to say"; fi
step end
