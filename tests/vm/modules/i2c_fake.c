// SPDX-License-Identifier: GPL-2.0
/*
 * A simulated I2C adapter whose traffic can be read back.
 *
 * It is /dev/i2c-<bus>; at each of its addresses sits a display that takes whatever is written. Every message, also
 * one that nobody acknowledged, is a record in /dev/i2c-tap: who reads it sees what was on the wire.
 *
 * Parameters that may be changed at any time, in /sys/module/i2c_fake/parameters:
 *   addresses   7-bit addresses at which something answers, e.g. 0x3c,0x3d
 *   nak         1: nobody acknowledges anything
 *   nak_after   so many more messages are acknowledged, then nak becomes 1 (-1: never)
 *   khz         clock of the bus: a message takes as long as its bits would; 0: no time
 */
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/i2c.h>
#include <linux/kfifo.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/timekeeping.h>
#include <linux/wait.h>

#define TAP_BYTES (4 << 20)
#define REFUSED 1
#define READING 2

struct record {
	__le64 ns; /* CLOCK_MONOTONIC */
	__le16 address;
	__le16 length; /* of the payload that follows */
	__le16 flags;
} __packed;

static int bus = 1;
module_param(bus, int, 0444);
static ushort addresses[8] = { 0x3c };
static int addresses_count = 1;
module_param_array(addresses, ushort, &addresses_count, 0644);
static int nak;
module_param(nak, int, 0644);
static int nak_after = -1;
module_param(nak_after, int, 0644);
static int khz;
module_param(khz, int, 0644);
static int lost;
module_param(lost, int, 0444);
MODULE_PARM_DESC(lost, "records that found no room in the tap");

static struct kfifo tap;
static DEFINE_MUTEX(tap_lock);
static DECLARE_WAIT_QUEUE_HEAD(tap_filled);

static void note(const struct i2c_msg *msg, u16 flags)
{
	u16 length = flags & READING ? 0 : msg->len;
	struct record head = {
		.ns = cpu_to_le64(ktime_get_ns()),
		.address = cpu_to_le16(msg->addr),
		.length = cpu_to_le16(length),
		.flags = cpu_to_le16(flags),
	};

	mutex_lock(&tap_lock);
	if (kfifo_avail(&tap) >= sizeof(head) + length) {
		kfifo_in(&tap, (u8 *)&head, sizeof(head));
		kfifo_in(&tap, msg->buf, length);
	} else {
		lost++;
	}
	mutex_unlock(&tap_lock);
	wake_up_interruptible(&tap_filled);
}

static bool answers(u16 address)
{
	int i;

	if (nak_after == 0) {
		nak = 1;
		nak_after = -1;
	}
	if (nak)
		return false;
	for (i = 0; i < addresses_count; i++)
		if (addresses[i] == address) {
			if (nak_after > 0)
				nak_after--;
			return true;
		}
	return false;
}

static int fake_transfer(struct i2c_adapter *adapter, struct i2c_msg *msgs, int count)
{
	int i;

	for (i = 0; i < count; i++) {
		u16 flags = msgs[i].flags & I2C_M_RD ? READING : 0;

		if (!answers(msgs[i].addr)) {
			note(&msgs[i], flags | REFUSED);
			return -EREMOTEIO; /* as the Pi's own driver (i2c-bcm2835) */
		}
		if (khz > 0) { /* nine clocks a byte, the address is one */
			unsigned long us = (msgs[i].len + 1) * 9000UL / khz;

			usleep_range(us, us + 50);
		}
		if (flags & READING)
			memset(msgs[i].buf, 0, msgs[i].len); /* a display's status: on, not busy */
		note(&msgs[i], flags);
	}
	return count;
}

static u32 fake_functions(struct i2c_adapter *adapter)
{
	return I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL;
}

static const struct i2c_algorithm fake_algorithm = {
	.master_xfer = fake_transfer,
	.functionality = fake_functions,
};

static struct i2c_adapter fake_adapter = {
	.owner = THIS_MODULE,
	.algo = &fake_algorithm,
	.name = "simulated adapter with a tap",
};

static ssize_t tap_read(struct file *file, char __user *to, size_t size, loff_t *at)
{
	unsigned int copied = 0;
	int error;

	if (wait_event_interruptible(tap_filled, !kfifo_is_empty(&tap)))
		return -ERESTARTSYS;
	mutex_lock(&tap_lock);
	error = kfifo_to_user(&tap, to, size, &copied);
	mutex_unlock(&tap_lock);
	return error ? error : copied;
}

static const struct file_operations tap_operations = {
	.owner = THIS_MODULE,
	.read = tap_read,
};

static struct miscdevice tap_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "i2c-tap",
	.mode = 0400,
	.fops = &tap_operations,
};

static int __init fake_init(void)
{
	int error = kfifo_alloc(&tap, TAP_BYTES, GFP_KERNEL);

	if (error)
		return error;
	error = misc_register(&tap_device);
	if (error)
		goto free_tap;
	fake_adapter.nr = bus;
	error = i2c_add_numbered_adapter(&fake_adapter);
	if (error)
		goto no_tap;
	return 0;
no_tap:
	misc_deregister(&tap_device);
free_tap:
	kfifo_free(&tap);
	return error;
}

static void __exit fake_exit(void)
{
	i2c_del_adapter(&fake_adapter);
	misc_deregister(&tap_device);
	kfifo_free(&tap);
}

module_init(fake_init);
module_exit(fake_exit);
MODULE_DESCRIPTION("Simulated I2C adapter with displays that take everything");
MODULE_LICENSE("GPL");
