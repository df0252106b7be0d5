#!/bin/sh
# Installs the mind box as a service, brings it up to date, or removes it. `make install` and `make uninstall` call it.
#
#   install.sh install [--page] [--broker] [--no-apt]     as root, on Raspberry Pi OS or Debian, bookworm or trixie
#   install.sh uninstall [--purge]             settings and games stay unless purged
#   install.sh stage DIR                       only lays the files below DIR (for packages and tests)
#
# Run it again at any time: settings and games are never touched. It asks before it adds to the boot settings.
set -eu

SOURCE=$(CDPATH='' cd "$(dirname "$0")/.." && pwd)
HOME_DIR=/opt/mind-box
ROOT=
PAGE=no
BROKER=no
APT=yes
PURGE=no

say() { printf '%s\n' "$@"; }
fail() { say "mind-box: $*" >&2; exit 1; }
put() { install -D -m "$1" "$SOURCE/$2" "$ROOT$3"; }

lay_files() {
    put 644 systemd/mind-box.service /etc/systemd/system/mind-box.service
    put 644 systemd/sysusers.conf /etc/sysusers.d/mind-box.conf
    put 644 systemd/udev.rules /etc/udev/rules.d/70-mind-box.rules
    put 644 systemd/polkit.rules /etc/polkit-1/rules.d/49-mind-box.rules
    [ -e "$ROOT/etc/mind-box/box.toml" ] || put 644 hardware/standard.toml /etc/mind-box/box.toml
    if [ $PAGE = yes ]; then
        put 644 systemd/page.conf /etc/systemd/system/mind-box.service.d/page.conf
    fi
    if [ $BROKER = yes ]; then
        put 644 systemd/broker.conf /etc/systemd/system/mind-box.service.d/broker.conf
    fi
    for page in "$SOURCE"/docs/*.md; do
        install -D -m 644 "$page" "$ROOT$HOME_DIR/share/doc/mind-box/$(basename "$page")"
    done
}

running_systemd() { [ -z "$ROOT" ] && [ -d /run/systemd/system ]; }

need_root() { [ "$(id -u)" = 0 ] || fail "must be root: sudo make $1"; }

apt_packages() {
    # What pip has no wheel for on every Pi comes from the system's archive, and the virtual environment sees it.
    wanted="python3-venv python3-pil python3-spidev"
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && wanted="$wanted python3-libgpiod"
    # gpiod has wheels for arm64 and amd64; bookworm's own is the old API, so there 32-bit has to build it.
    case "$(dpkg --print-architecture)$wanted" in
        *python3-libgpiod* | arm64* | amd64*) ;;
        *) wanted="$wanted gcc libc6-dev python3-dev" ;;
    esac
    apt-get update -qq || say "mind-box: the package lists could not be renewed; going on with those that are there"
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $wanted polkitd >/dev/null ||
        fail "these packages are needed and could not be installed: $wanted polkitd"
    # Raspberry Pi OS has lgpio, Debian has not; the box does without.
    if apt-cache show python3-lgpio >/dev/null 2>&1; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-lgpio >/dev/null ||
            say "mind-box: python3-lgpio could not be installed; not needed, libgpiod is used"
    else
        say "mind-box: no python3-lgpio in this system's archive; not needed, libgpiod is used"
    fi
}

python_packages() {
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail "Python 3.11 or newer is needed (bookworm)"
    [ -x $HOME_DIR/bin/python ] && [ -x $HOME_DIR/bin/pip ] &&
        $HOME_DIR/bin/python -c 'import sys' 2>/dev/null || python3 -m venv --system-site-packages --clear $HOME_DIR
    extras=
    [ $PAGE = yes ] && extras='[page]'
    [ $BROKER = yes ] && extras='[broker]'
    [ $PAGE$BROKER = yesyes ] && extras='[page,broker]'
    # The versions that are tested, but of what may come from the system's archive, in the archive's
    # version, and of cbor2, whose newest have no wheel for 32 bits.
    # lgpio 0.0.0.2 and gpiod 1.5.4 are what pip falls back to without a word; neither works.
    {
        grep -Ev '^(pillow|gpiod|cbor2)==' "$SOURCE/constraints.txt"
        printf 'lgpio!=0.0.0.2\ngpiod>=2.1\n'
    } >$HOME_DIR/constraints.txt
    # Built from a copy: pip would leave files of root's in the source.
    copy=$(mktemp -d)
    cp -R "$SOURCE/pyproject.toml" "$SOURCE/README.md" "$SOURCE/LICENSE" "$SOURCE/mind_box" "$copy"
    $HOME_DIR/bin/pip install --quiet --disable-pip-version-check --no-compile --prefer-binary --upgrade \
        --upgrade-strategy only-if-needed -c $HOME_DIR/constraints.txt "$copy$extras" ||
        fail "pip could not install the box's Python packages; see its message above"
    $HOME_DIR/bin/pip install --quiet --disable-pip-version-check --no-compile --prefer-binary \
        -c $HOME_DIR/constraints.txt "$copy[labels,update]" ||
        say "mind-box: without reportlab, segno and mpremote \`mind-box cards labels\`, \`cards sleeves\` and" \
            "\`mind-box reader update\` do not work; the box does. Later: sudo make install"
    # The same version number again: pip would leave the old code where it is.
    $HOME_DIR/bin/pip install --quiet --disable-pip-version-check --no-compile --no-deps --force-reinstall "$copy"
    rm -rf "$copy"
    # Without compiled modules the box takes five times as long to start.
    $HOME_DIR/bin/python -m compileall -q $HOME_DIR/lib >/dev/null || say "mind-box: some modules did not compile"
    mkdir -p /usr/local/bin
    ln -sf $HOME_DIR/bin/mind-box /usr/local/bin/mind-box
}

boot_settings() {
    lines=$($HOME_DIR/bin/python -m mind_box.doctor.boot) || return 0
    [ -n "$lines" ] || return 0
    file=$($HOME_DIR/bin/python -m mind_box.doctor.boot --file)
    say "" "$file lacks what your settings need, or what serves them:" "$lines"
    if [ ! -t 0 ]; then
        say "Add these lines at its end, then start the Pi again."
        return 0
    fi
    printf 'Add them now (a copy of the old file is kept)? [y/N] '
    read -r answer
    case $answer in
        y | Y | yes)
            cp -p "$file" "$file.before-mind-box"
            printf '\n# mind-box\n%s\n' "$lines" >>"$file"
            say "Done. Start the Pi again: sudo reboot"
            ;;
        *) say "Left as it is." ;;
    esac
}

do_install() {
    need_root install
    [ $APT = no ] || apt_packages
    python_packages
    lay_files
    systemd-sysusers /etc/sysusers.d/mind-box.conf
    install -d -o mind-box -g mind-box -m 755 /var/lib/mind-box
    $HOME_DIR/bin/mind-box config check || fail "the settings are wrong (above): correct /etc/mind-box/box.toml, then again"
    if running_systemd; then
        udevadm control --reload && udevadm trigger --action=change --subsystem-match=usb --subsystem-match=tty \
            --subsystem-match=gpio --subsystem-match=i2c-dev --subsystem-match=spidev || true
        systemctl daemon-reload
        systemctl enable --quiet mind-box.service
        systemctl restart mind-box.service || say "mind-box: the service does not start: journalctl -u mind-box"
    else
        systemctl enable --quiet mind-box.service
    fi
    boot_settings
    sync # a plug that is pulled now leaves no empty settings
    say "" "What the box's doctor says:"
    setpriv --reuid mind-box --regid mind-box --init-groups $HOME_DIR/bin/mind-box doctor ||
        say "The box runs with what it has; put right what is named above, then ask again: mind-box doctor"
}

do_uninstall() {
    need_root uninstall
    if running_systemd; then
        systemctl disable --now --quiet mind-box.service 2>/dev/null || true
    else
        systemctl disable --quiet mind-box.service 2>/dev/null || true
    fi
    rm -f /etc/systemd/system/mind-box.service /etc/systemd/system/mind-box.service.d/page.conf \
        /etc/systemd/system/mind-box.service.d/broker.conf \
        /etc/sysusers.d/mind-box.conf /etc/udev/rules.d/70-mind-box.rules /etc/polkit-1/rules.d/49-mind-box.rules \
        /usr/local/bin/mind-box
    rm -rf $HOME_DIR
    if [ $PURGE = yes ]; then
        rm -rf /etc/mind-box /var/lib/mind-box /etc/systemd/system/mind-box.service.d
        if getent passwd mind-box >/dev/null; then userdel mind-box; fi
        say "mind-box is gone, with its settings and games."
    else
        say "mind-box is gone. Settings and games stay in /etc/mind-box and /var/lib/mind-box (PURGE=1 removes them too)."
    fi
    if running_systemd; then
        systemctl daemon-reload
        udevadm control --reload || true
    fi
}

action=${1:-}
[ $# -gt 0 ] && shift
while [ $# -gt 0 ]; do
    case $1 in
        --page) PAGE=yes ;;
        --broker) BROKER=yes ;;
        --no-apt) APT=no ;;
        --purge) PURGE=yes ;;
        *) [ "$action" = stage ] && [ -z "$ROOT" ] || fail "unknown: $1"; ROOT=${1%/} ;;
    esac
    shift
done
case $action in
    install) do_install ;;
    uninstall) do_uninstall ;;
    stage) [ -n "$ROOT" ] || fail "stage needs a directory"; lay_files ;;
    *) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
