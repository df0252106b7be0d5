#!/bin/sh
# Runs inside the guest's root while it is put together: what Raspberry Pi OS has and plain Debian has not.
set -e
dpkg -i /tmp/python3-lgpio.deb >/dev/null

# Groups and rights of the devices, as Raspberry Pi OS sets them.
for group in gpio i2c spi; do getent group $group >/dev/null || groupadd -r $group; done
cat > /etc/udev/rules.d/99-com.rules <<'R'
SUBSYSTEM=="input", GROUP="input", MODE="0660"
SUBSYSTEM=="i2c-dev", GROUP="i2c", MODE="0660"
SUBSYSTEM=="gpio", GROUP="gpio", MODE="0660"
R
# Only what stands for the hardware: a driver that the installer, the unit or udev has to bring in is not here already.
printf '%s\n' gpio-simulator i2c_fake 9pnet_virtio 9p > /etc/modules-load.d/pi.conf

# No network here: pip finds its wheels in a directory.
printf '[global]\nno-index = true\nfind-links = /opt/wheels\ndisable-pip-version-check = true\n' > /etc/pip.conf

# The tests' side: their files over 9p, the state on a small disk of its own, and the agent.
mkdir -p /tests /tree /var/lib/mind-box
cat > /etc/fstab <<'F'
tests /tests 9p trans=virtio,version=9p2000.L,ro,nofail,x-systemd.requires=systemd-modules-load.service 0 0
tree /tree 9p trans=virtio,version=9p2000.L,ro,nofail,x-systemd.requires=systemd-modules-load.service 0 0
/dev/vdb /var/lib/mind-box ext4 nofail 0 0
F
cat > /etc/systemd/system/vm-agent.service <<'U'
[Unit]
Description=The tests' hand in this machine
RequiresMountsFor=/tests
After=local-fs.target
[Service]
ExecStart=/usr/bin/python3 -B /tests/agent.py
Restart=always
StandardOutput=tty
StandardError=tty
TTYPath=/dev/console
[Install]
WantedBy=multi-user.target
U
systemctl enable -q vm-agent.service
if [ "$(dpkg --print-architecture)" = amd64 ]; then # no device tree there that could hold the header's chip
    cat > /etc/systemd/system/vm-header.service <<'U'
[Unit]
Description=A simulated GPIO chip with the label of a Pi 4's header
DefaultDependencies=no
After=systemd-modules-load.service sys-kernel-config.mount
Requires=sys-kernel-config.mount
Before=sysinit.target
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'b=/sys/kernel/config/gpio-sim/pi/bank0; mkdir -p $b && echo 58 > $b/num_lines && \
    echo pinctrl-bcm2711 > $b/label && echo 1 > $b/../live'
[Install]
WantedBy=sysinit.target
U
    systemctl enable -q vm-header.service
fi
systemctl set-default -q multi-user.target
systemctl mask -q apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service \
    fstrim.timer systemd-timesyncd.service systemd-binfmt.service getty@tty1.service serial-getty@ttyAMA0.service
systemctl mask -q serial-getty@ttyS0.service
echo mind-box-vm > /etc/hostname
echo 127.0.0.1 localhost mind-box-vm > /etc/hosts
: > /etc/resolv.conf
