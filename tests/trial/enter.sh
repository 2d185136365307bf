# enter.sh SCRATCH LOWER UPPER WORK NETWORK BIND... -- WORDS: in namespaces of its own, puts the root of a trial together and runs
# sh with WORDS in it. LOWER: directories of layers, a colon between them. UPPER and WORK: where changes go; "-": they are lost.
# NETWORK: yes or no. BIND: FROM:TO.
set -eu
scratch=$1 lower=$2 upper=$3 work=$4 network=$5
shift 5
root=$scratch/root
mount -t tmpfs trial "$scratch"
[ "$upper" != - ] || { upper=$scratch/upper work=$scratch/work; mkdir "$upper" "$work"; }
mkdir "$root"
mount -t overlay trial -o "lowerdir=$lower,upperdir=$upper,workdir=$work" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 dev "$root/dev"
for node in "null 1 3" "zero 1 5" "full 1 7" "random 1 8" "urandom 1 9" "tty 5 0"; do
    # shellcheck disable=SC2086
    set -- $node "$@"
    mknod -m 666 "$root/dev/$1" c "$2" "$3"
    shift 3
done
ln -s /proc/self/fd "$root/dev/fd"
mkdir -m 1777 "$root/dev/shm"
mkdir "$root/dev/pts"
mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
while [ "$1" != -- ]; do
    if [ -d "${1%%:*}" ]; then mkdir -p "$root/${1#*:}"; else mkdir -p "$root/$(dirname "${1#*:}")" && : >>"$root/${1#*:}"; fi
    mount --bind "${1%%:*}" "$root/${1#*:}"
    shift
done
shift
hostname lab
if [ "$network" = yes ]; then
    :
elif command -v ip >/dev/null; then
    ip link set lo up
fi
cd /
if [ -d "$root/opt/python/lib" ]; then # of a Python from elsewhere
    echo /opt/python/lib >"$root/etc/ld.so.conf.d/trial.conf"
    chroot "$root" ldconfig
fi
exec chroot "$root" /bin/sh "$@"
