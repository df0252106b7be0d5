#!/bin/bash
# Builds the guest: a Debian machine that looks like a Raspberry Pi 4 to user space. Run as root on Debian 12 or 13.
#
#   MIND_BOX_VM_ARCH=arm64   the most faithful: a Pi's processor and device tree, arm64 wheels (the default)
#   MIND_BOX_VM_ARCH=amd64   built in two minutes on a PC, where arm64 takes a quarter of an hour: for CI
#
# Every stage is kept in $MIND_BOX_VM_CACHE (default ~/.cache/mind-box-vm) under a digest of what it is made of, and is
# made again when that changes: a newer kernel in the archive, another line in one of these files. Nothing prebuilt is
# fetched but the distribution's own packages and wheels.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)
cache=${MIND_BOX_VM_CACHE:-$HOME/.cache/mind-box-vm}
mirror=${MIND_BOX_VM_MIRROR:-http://deb.debian.org/debian}
security=${MIND_BOX_VM_SECURITY_MIRROR:-http://deb.debian.org/debian-security}
suite=${MIND_BOX_VM_SUITE:-trixie}          # of the guest's user space
linux=${MIND_BOX_VM_LINUX:-6.12}            # kernel series
host_suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
arch=${MIND_BOX_VM_ARCH:-arm64}
host=$(dpkg --print-architecture)
case $arch in
    arm64) machine=aarch64 linux_arch=arm64 ;;
    amd64) machine=x86_64 linux_arch=x86 ;;
    *) echo "make vm: MIND_BOX_VM_ARCH is arm64 or amd64, not $arch" >&2; exit 2 ;;
esac
cross=$machine-linux-gnu-
[ "$arch" = arm64 ] || cache=$cache/$arch

guest_packages=systemd,systemd-sysv,udev,dbus,kmod,procps,python3,python3-venv,python3-pil,python3-evdev
guest_packages+=,python3-spidev,python3-libgpiod,polkitd,make,sqlite3,e2fsprogs,strace
[ $arch = amd64 ] || guest_packages+=,python3-rpi.gpio

CANNOT=75 # the exit status when this machine, the archive or its newest kernel does not allow a guest; any other is a fault of ours
say() { printf '[%4d s] %s\n' "$SECONDS" "$*" >&2; }
fail() { echo "make vm: $*" >&2; exit $CANNOT; }
digest() { cat "$@" | sha256sum | cut -c1-16; }

# stage NAME WHAT...: true if the stage has to be made anew; "done NAME" afterwards.
stage() {
    local name=$1; shift
    wanted=$(printf '%s\n' "$@" | sha256sum | cut -c1-16)
    [ "$(cat "$cache/$name.made" 2>/dev/null)" != "$wanted" ] || return 1
    rm -f "$cache/$name.made"
    say "$name ..."
}
made() { echo "$wanted" > "$cache/$1.made"; say "$1: made"; }

host_packages() {
    local need=() p
    local packages=(qemu-utils mmdebstrap device-tree-compiler swig make gcc binutils cpio xz-utils e2fsprogs kmod
                    debian-archive-keyring)
    if [ $arch = arm64 ]; then packages+=(qemu-system-arm); else packages+=(qemu-system-x86); fi
    [ $arch = "$host" ] || packages+=(qemu-user-static arch-test gcc-${machine/_/-}-linux-gnu libc6-dev-$arch-cross)
    for p in "${packages[@]}"; do
        dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || need+=("$p")
    done
    [ ${#need[@]} -eq 0 ] && return
    [ "$(id -u)" = 0 ] || fail "needs these packages: ${need[*]} (apt install them, and run this as root)"
    say "installing ${need[*]}"
    apt-get -qq update &&
        DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${need[@]}" >/dev/null ||
        fail "cannot install ${need[*]}"
}

# Programs of the guest run here while it is put together.
foreign_programs() {
    [ $arch != "$host" ] || return 0
    mountpoint -q /proc/sys/fs/binfmt_misc || mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc ||
        fail "this kernel has no binfmt_misc, so $arch programs cannot be run while the guest is put together"
    [ -e /proc/sys/fs/binfmt_misc/qemu-$machine ] || cat /usr/lib/binfmt.d/qemu-$machine.conf > /proc/sys/fs/binfmt_misc/register
}

# An apt of its own, for packages of the guest that are unpacked and never installed here.
apt_guest() {
    local tool=$1; shift
    "$tool" -qq -o Dir="$cache/apt" -o Dir::State::status=/dev/null -o APT::Architecture="$host" \
        -o APT::Architectures::="$host" -o APT::Architectures::=$arch \
        -o APT::Sandbox::User=root "$@"
}

kernel_version() {
    mkdir -p "$cache"/apt/{etc/apt/apt.conf.d,etc/apt/preferences.d,var/lib/apt/lists/partial,var/cache/apt/archives/partial}
    # The kernel comes from this host's own suite, so that its build tools run here.
    printf 'deb [signed-by=%s] %s %s main\n' "$keyring" "$mirror" "$host_suite" "$keyring" "$mirror" "$host_suite-updates" \
        "$keyring" "$security" "$host_suite-security" > "$cache/apt/etc/apt/sources.list"
    apt_guest apt-get update || fail "the archive $mirror cannot be read"
    local meta image
    for meta in "linux-image-$linux-$arch" "linux-image-$arch"; do
        image=$(apt_guest apt-cache depends "$meta:$arch" 2>/dev/null | awk '/Depends: linux-image-/ { print $2; exit }')
        [ -z "$image" ] || break
    done
    [ -n "$image" ] || fail "the archive of $host_suite has no kernel $linux for $arch; set MIND_BOX_VM_LINUX"
    image=${image%:"$arch"}
    version=${image#linux-image-}                # e.g. 6.12.117+deb12-arm64
    base=${version%-"$arch"}
    source=linux-source-${linux}
    say "kernel $version"
}

kernel() {
    stage kernel "$version" || return 0
    rm -rf "$cache"/kernel; mkdir -p "$cache"/kernel/{debs,image,headers,source}
    cd "$cache/kernel/debs"
    # The build tools must be those of this host; the rest is the guest's.
    apt_guest apt-get download "linux-image-$version:$arch" "linux-headers-$version:$arch" "linux-headers-$base-common" \
        "linux-kbuild-$base:$host" "$source" || fail "the archive $mirror does not give kernel $version whole"
    dpkg-deb -x linux-image-*.deb ../image
    for p in linux-headers-*.deb linux-kbuild-*.deb; do dpkg-deb -x "$p" ../headers; done
    dpkg-deb --fsys-tarfile linux-source-*.deb | tar -xO ./usr/src/linux-source-${linux}.tar.xz |
        tar -xJ -C ../source --strip-components=1 "linux-source-$linux/drivers/gpio/gpio-sim.c" \
            "linux-source-$linux/kernel/irq/irq_sim.c" --occurrence=1 2>/dev/null || true
    [ -e ../source/kernel/irq/irq_sim.c ] || fail "gpio-sim.c and irq_sim.c are not in $source"
    rm linux-source-*.deb
    made kernel
}

modules() {
    stage modules "$version" "$(digest "$here"/modules/*)" || return 0
    local headers=$cache/kernel/headers common link
    common=$headers/usr/src/linux-headers-$base-common
    rm -rf "$cache/modules"; mkdir "$cache/modules"
    cp "$here"/modules/* "$cache/kernel/source/drivers/gpio/gpio-sim.c" "$cache/kernel/source/kernel/irq/irq_sim.c" "$cache/modules"
    # irq_to_desc is not exported to modules, and the kernel's own simulator is not built in.
    sed -i 's/irq_to_desc(\([^)]*\))/irq_data_to_desc(irq_get_irq_data(\1))/' "$cache/modules/irq_sim.c"
    # Debian's header packages name each other by absolute paths: they are unpacked elsewhere here.
    sed -i "s#[^ ]*/usr/src/linux-headers-$base-common#$common#" "$headers/usr/src/linux-headers-$version/Makefile"
    for link in scripts tools; do
        ln -sfn "$headers/usr/lib/linux-kbuild-$base/$link" "$headers/usr/src/linux-headers-$version/$link"
        ln -sfn "$headers/usr/lib/linux-kbuild-$base/$link" "$common/$link"
    done
    make -s -C "$headers/usr/src/linux-headers-$version" M="$cache/modules" ARCH=$linux_arch CROSS_COMPILE=$cross CONFIG_DEBUG_INFO_BTF_MODULES= modules \
        > "$cache/modules/log" 2>&1 || { tail -30 "$cache/modules/log" >&2; fail "the kernel modules do not build with $version"; }
    "${cross}strip" -g "$cache"/modules/*.ko
    made modules
}

root_directory() {
    stage root "$suite" "$guest_packages" || return 0
    rm -rf "$cache/root"
    mmdebstrap -q --variant=minbase --mode=root --architectures=$arch --keyring="$keyring" \
        --include="$guest_packages" "$suite" "$cache/root" "$mirror" >&2 ||
        fail "the root of $suite cannot be put together (it takes root with the right to mount, and $mirror)"
    # What a C extension for the guest's Python is compiled against; unpacked here, not installed there.
    cp /etc/resolv.conf "$cache/root/etc/resolv.conf"
    chroot "$cache/root" sh -c 'cd /tmp && apt-get -qq update &&
        apt-get -qq -o APT::Sandbox::User=root download $(apt-cache depends libpython3-dev | sed -n "s/.*Depends: \(libpython3\.[0-9]*-dev\)$/\1/p")'
    rm -rf "$cache/python"; mkdir "$cache/python"
    dpkg-deb -x "$cache"/root/tmp/libpython3*.deb "$cache/python"
    rm -rf "$cache"/root/tmp/* "$cache"/root/var/lib/apt/lists/* "$cache"/root/var/cache/apt/*
    made root
}

# lgpio as a Pi has it: Debian has no package, and the registry no wheel for today's Python.
lgpio_package() {
    stage lgpio "$(cat "$cache/root.made")" "$(declare -f lgpio_package)" || return 0
    local work=$cache/lgpio python deb package
    rm -rf "$work"; mkdir "$work"; cd "$work"
    python3 -m pip download -q --no-deps --no-binary :all: -d . 'lgpio==0.2.2.0' >&2 || fail "the source of lgpio cannot be had"
    tar -xf lgpio-*.tar.gz --strip-components=1
    python=$(basename "$(ls -d "$cache"/python/usr/include/python3.*)")
    swig -python -Isrc lgpio.i
    "${cross}gcc" -O2 -shared -fPIC -w -Isrc -I"$cache/python/usr/include/$python" -I"$cache/python/usr/include" \
        -I"$cache/python/usr/include/$machine-linux-gnu" src/lg*.c src/rgpiod.c lgpio_wrap.c -o _lgpio.so -lrt -ldl -lpthread
    deb=$work/deb; package=$deb/usr/lib/python3/dist-packages
    mkdir -p "$package" "$deb/DEBIAN"
    cp lgpio.py lgpio_extra.py _lgpio.so "$package/"; cp -r lgpio.egg-info "$package/lgpio-0.2.2.0.egg-info"
    printf '%s\n' 'Package: python3-lgpio' 'Version: 0.2.2-1' "Architecture: $arch" 'Maintainer: nobody <nobody@localhost>' \
        'Description: stands in for the package of Raspberry Pi OS' > "$deb/DEBIAN/control"
    dpkg-deb --root-owner-group -b "$deb" python3-lgpio.deb >&2
    made lgpio
}

# Wheels for the guest, which has no network: what `pip install` on a Pi would fetch.
wheels() {
    stage wheels "$(cat "$cache/root.made")" "$(digest "$tree/pyproject.toml" "$tree/constraints.txt")" \
        "$(declare -f wheels)" || return 0
    local version
    version=$(basename "$(ls -d "$cache"/python/usr/include/python3.*)"); version=${version#python}
    rm -rf "$cache/wheels"
    python3 - "$tree/pyproject.toml" > "$cache/requirements" <<'P'
import sys, tomllib
project = tomllib.load(open(sys.argv[1], "rb"))["project"]
extras = project["optional-dependencies"]
print("\n".join([*project["dependencies"], *extras["page"], *extras["labels"], *extras["update"], "setuptools>=77", "wheel", "pip"]))
P
    # What systemd/install.sh holds a box to: it finds no other versions here.
    grep -Ev '^(pillow|gpiod|cbor2)==' "$tree/constraints.txt" > "$cache/constraints"
    python3 -m pip download -q --only-binary=:all: -c "$cache/constraints" --python-version "$version" --implementation cp \
        --platform manylinux_2_28_$machine --platform manylinux_2_17_$machine --platform manylinux2014_$machine \
        -d "$cache/wheels" -r "$cache/requirements" >&2 || fail "the guest's wheels cannot be had"
    made wheels
}

base_image() {
    local native=; [ $arch != "$host" ] || native=$(cd "$tree" && python3 -m tests.vm.install --digest)
    stage base "$native" "$(cat "$cache/root.made" "$cache/modules.made" "$cache/lgpio.made" "$cache/wheels.made")" \
        "$(digest "$here"/guest/prepare.sh "$here"/guest/init.sh)" "$(declare -f base_image)" || return 0
    local build=$cache/build km=$cache/kernel/image/lib/modules/$version m file name
    rm -rf "$build"; cp -a "$cache/root" "$build"
    # Kernel modules: the distribution's and ours.
    mkdir -p "$build/usr/lib/modules" "$km/updates"; cp "$cache"/modules/*.ko "$km/updates/"
    cp -a "$km" "$build/usr/lib/modules/"
    depmod -b "$build" "$version"
    mkdir -p "$build/opt/wheels"; cp "$cache"/wheels/* "$build/opt/wheels/"
    cp "$cache/lgpio/python3-lgpio.deb" "$build/tmp/"
    cp "$here/guest/prepare.sh" "$build/tmp/"; chroot "$build" sh /tmp/prepare.sh; rm "$build"/tmp/*
    rm -f "$cache/base-is-installed"
    if [ -n "$native" ]; then # its programs run here at full speed, so the box is installed here
        (cd "$tree" && python3 -m tests.vm.install --copy "$build/root/mind-box")
        chroot "$build" make -s -C /root/mind-box install >&2
        touch "$cache/base-is-installed"
    fi
    # An initrd that finds the disk and nothing else.
    local initrd=$cache/initrd; rm -rf "$initrd"; mkdir -p "$initrd"/{bin,mods,proc,sys,dev,root}
    busybox "$initrd/bin/busybox"; install -m 755 "$here/guest/init.sh" "$initrd/init"
    for m in virtio_pci virtio_blk ext4 crc32c_generic; do
        modprobe -d "$build" -S "$version" --show-depends "$m" 2>/dev/null | awk '$1 == "insmod" { print $2 }'
    done | awk '!seen[$0]++' | while read -r file; do
        name=$(basename "${file%.xz}")
        case $file in *.xz) xz -dc "$file" > "$initrd/mods/$name" ;; *) cp "$file" "$initrd/mods/" ;; esac
        echo "$name" >> "$initrd/order"
    done
    (cd "$initrd" && find . | cpio -o -H newc --quiet | gzip -1) > "$cache/initrd.gz"
    cp "$cache/kernel/image/boot/vmlinuz-$version" "$cache/vmlinuz"
    rm -f "$cache/base.ext4"; mke2fs -q -F -t ext4 -L ROOT -d "$build" "$cache/base.ext4" 1500M
    rm -rf "$build" "$initrd"
    made base
}

busybox() {
    (mkdir -p "$cache/busybox" && cd "$cache/busybox" && apt_guest apt-get download busybox-static:$arch && dpkg-deb -x busybox-static*.deb .)
    cp "$(find "$cache/busybox" -name busybox -type f -perm -u+x)" "$1"
}

device_tree() {
    [ $arch = arm64 ] || return 0
    stage dtb "$(qemu-system-aarch64 --version | head -1)" "$(digest "$here/modules/pi4.dts" "$here/qemu.py")" || return 0
    (cd "$here" && python3 qemu.py dump-dtb "$cache/virt.dtb")
    dtc -q -@ -I dts -O dtb -o "$cache/pi4.dtbo" "$here/modules/pi4.dts"
    fdtoverlay -i "$cache/virt.dtb" -o "$cache/pi4.dtb" "$cache/pi4.dtbo"
    made dtb
}

# main
mkdir -p "$cache"
exec 9> "$cache/lock"; flock 9
host_packages
foreign_programs
kernel_version
kernel
modules
root_directory
lgpio_package
wheels
base_image
device_tree
(cd "$tree" && python3 -m tests.vm.install "$@")
say "the guest is ready in $cache ($(du -sh "$cache" 2>/dev/null | cut -f1))"
