#!/bin/bash
# boot.sh ROOT: starts the systemd of a Debian root as process 1 of namespaces of its own, without a network.
# Ends when systemd ends. Needs to be root; touches nothing outside ROOT.
set -e
exec unshare --pid --fork --mount --uts --ipc --cgroup --net --kill-child bash -c '
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
cd "$1"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs dev
for n in null zero full random urandom tty; do touch dev/$n; mount --bind /dev/$n dev/$n; done
mkdir dev/pts dev/shm run/old
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
mount -t tmpfs tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ip link set lo up 2>/dev/null || true
pivot_root . run/old
umount -l /run/old
cd /
exec env -i container=namespaces PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --show-status=no --log-level=warning
' boot "$1"
