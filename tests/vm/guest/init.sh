#!/bin/busybox sh
# The initrd's only program: loads what the disk needs, mounts it and hands over.
b=/bin/busybox
$b mount -t proc proc /proc; $b mount -t sysfs sysfs /sys; $b mount -t devtmpfs dev /dev
for module in $($b cat /order); do $b insmod /mods/$module; done
until [ -e /dev/vda ]; do $b sleep 0.05; done
$b mount -t ext4 /dev/vda /root
for place in dev proc sys; do $b mount --move /$place /root/$place; done
exec $b switch_root /root /sbin/init
