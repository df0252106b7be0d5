#!/bin/sh
# KiCad 9 in a Debian trixie of its own, for `make board`. Run as root on Debian 12 or later; prints the root's folder.
#
# Made once, in $MIND_BOX_BOARD_CACHE (default ~/.cache/mind-box-board), and again when this file changes: 1.5 GB unpacked. The
# bodies in the pictures are a few files of a package of 5 GB, so that one is never installed: `root.sh bodies` takes them out.
# Exit status 75: not to be had here.
set -eu
cache=${MIND_BOX_BOARD_CACHE:-$HOME/.cache/mind-box-board}
mirror=${MIND_BOX_BOARD_MIRROR:-http://deb.debian.org/debian}
root=$cache/trixie
wanted=$(sha256sum "$0" | cut -c1-16)
bodies='JST_XH_B?B-XH-A_1x0?_P2.50mm_Vertical R_Axial_DIN0207_L6.3mm_D2.5mm_P7.62mm_Horizontal C_Disc_D3.8mm_W2.6mm_P2.50mm
    D_DO-35_SOD27_P7.62mm_Horizontal D_DO-15_P5.08mm_Vertical_KathodeUp CP_Radial_D8.0mm_P3.50mm TO-220-3_Vertical
    PinHeader_2x10_P2.54mm_Vertical PinHeader_2x02_P2.54mm_Vertical PinSocket_2x20_P2.54mm_Vertical'
fail() { echo "make board: $*" >&2; exit 75; }

[ "$(id -u)" = 0 ] || fail "KiCad runs in a Debian root of its own, in $cache: run this as root"
if [ "$(cat "$cache/made" 2>/dev/null)" != "$wanted" ]; then
    command -v mmdebstrap >/dev/null ||
        { apt-get -qq update && apt-get -qq install -y --no-install-recommends mmdebstrap debian-archive-keyring >/dev/null; } ||
        fail "needs mmdebstrap (apt install mmdebstrap debian-archive-keyring)"
    mkdir -p "$cache"
    rm -rf "$root" "$cache/made"
    echo "make board: KiCad into $root, some minutes ..." >&2
    mmdebstrap --quiet --variant=apt --include=kicad,kicad-footprints \
        --keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
        --dpkgopt='path-exclude=/usr/share/kicad/internat/*' \
        trixie "$root" "$mirror" >&2 || fail "mmdebstrap could not make the root from $mirror"
    echo "$wanted" > "$cache/made"
fi
if [ "${1:-}" = bodies ] && [ ! -d "$root/usr/share/kicad/3dmodels" ]; then
    echo "make board: the parts' bodies, 350 MB to look through ..." >&2
    if chroot "$root" sh -c 'cd /tmp && apt-get -qq update && apt-get -qq download kicad-packages3d' >&2; then
        archive=$(find "$root/tmp" -name 'kicad-packages3d_*.deb')
        set -f # the patterns are tar's, not the shell's
        patterns=$(for b in $bodies; do echo "*/$b.step"; done)
        # shellcheck disable=SC2086
        dpkg-deb --fsys-tarfile "$archive" | tar -x -C "$root" --wildcards $patterns
        rm -f "$archive"
    else
        echo "make board: they cannot be had; the pictures will show a bare board" >&2
    fi
fi
echo "$root"
