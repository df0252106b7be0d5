#!/bin/sh
# grow.sh DEVICE PARTITION: the last partition gets the rest of the card; its file system follows when it is mounted
# (x-systemd.growfs). Again at any time: what is grown already stays. A card cut short in the writing is told.
set -eu
device=$1 number=$2
start=$(sfdisk --json "$device" | sed -n "s/.*\"start\": *\([0-9]*\).*/\1/p" | sed -n "${number}p")
sectors=$(blockdev --getsz "$device" 2>/dev/null || echo $(($(stat -c %s "$device") / 512)))
if [ -z "$start" ] || [ "$sectors" -le "$start" ]; then
    echo "$device: ends before its partition $number begins: the card is too small, or was not written to its end" >&2
    exit 1
fi
printf ', +\n' | sfdisk --quiet --no-reread --no-tell-kernel -N "$number" "$device"
if [ -b "$device" ]; then
    partx --update --nr "$number" "$device"
fi
