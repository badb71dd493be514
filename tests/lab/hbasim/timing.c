// SPDX-License-Identifier: GPL-2.0-only
/*
 * When an answer is complete. A command costs the device's overhead; data
 * comes no faster than the medium gives it, and no faster than the link
 * carries it (the transport's part: buses and lanes are shared). All of it
 * goes "divide" times slower than the topology says, for the emulated
 * processor that moves the data is no fast one; ratios stay what they are.
 */
#include <linux/math64.h>
#include <linux/module.h>

#include "hbasim.h"

static unsigned int divide = 1;
module_param(divide, uint, 0444);
MODULE_PARM_DESC(divide, "all payload rates are divided by this");

u64 sim_nanoseconds(u32 bytes, u32 kilobytes_per_second)
{
	if (!kilobytes_per_second)
		return 0;
	return div_u64((u64)bytes * 1000000, kilobytes_per_second) * max(divide, 1U);
}

/* A medium serves one command after the other. */
static u64 from_medium(struct sim_device *device, u32 bytes, u64 now)
{
	if (!device->media)
		return now;
	device->media_free_at = max(device->media_free_at, now) +
				sim_nanoseconds(bytes, device->media * 1000);
	return device->media_free_at;
}

u64 sim_finish(struct sim_device *device, const struct sim_answer *answer, u64 now)
{
	u64 ready = now + (u64)answer->delay_us * NSEC_PER_USEC +
		    (u64)device->overhead * NSEC_PER_USEC;
	u64 carried = ready, read = ready;

	if (answer->payload)
		carried = device->host->transport->carry(device, answer->payload, ready);
	if (answer->media)
		read = from_medium(device, answer->payload, ready);
	return max(max(carried, read), now + 1);
}
