// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lines that change a running host. What they name is NAME, of a host,
 * an expander or a device, or NAME:ID, of a target, a phy or a remote port.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "hbasim.h"

/* What a line names; of .end and .device, NULL where it is neither. */
struct place {
	char *name;
	int id;
	struct sim_host *host;
	struct sim_device *device;
	struct sim_end *end;
};

static int find(struct place *place, char *text)
{
	struct sim_node *node;
	int err;

	memset(place, 0, sizeof(*place));
	err = sim_place(text, &place->name, &place->id);
	if (err)
		return err;
	place->host = sim_host_find(place->name);
	node = sim_node_find(place->name);
	place->device = sim_device_find(place->name);
	if (place->host && place->id >= 0 && list_empty(&place->host->nodes)) {
		place->end = sim_end_find(place->host, place->id);
	} else if (node) {
		place->host = node->host;
		place->end = node->up;
		if (place->id >= 0)
			place->end = place->id < node->phys ? node->phy[place->id].end : NULL;
	} else if (place->device) {
		place->host = place->device->host;
		place->end = place->device->end;
	}
	if (!place->host)
		return sim_refuse("there is no %s", place->name);
	if (!place->host->started)
		return sim_refuse("%s has not started", place->name);
	return 0;
}

static int run_set(struct sim_line *line)
{
	struct place place;
	int err = find(&place, sim_next(line));

	if (err)
		return err;
	if (place.device) {
		spin_lock_irq(&place.host->lock);
		err = sim_set(place.device, sim_device_keys, line);
		spin_unlock_irq(&place.host->lock);
		return err;
	}
	if (place.id >= 0)
		return place.host->transport->set(place.host, place.name, place.id, line);
	spin_lock_irq(&place.host->lock);
	err = sim_set_both(place.host, sim_host_live_keys(), place.host,
			   place.host->transport->host_keys, line);
	spin_unlock_irq(&place.host->lock);
	if (!err)
		sim_parent_changed(place.host);
	if (!err && place.host->transport->changed)
		err = place.host->transport->changed(place.host);
	return err;
}

static int plug(char *text, bool in)
{
	struct place place;
	struct sim_device *device;
	int err = find(&place, text);

	if (err)
		return err;
	if (!place.end)
		return sim_refuse("%s is nothing to be plugged", place.name);
	if (place.end->plugged == in)
		return 0;
	if (!in) {
		place.host->transport->unplug(place.end);
		return 0;
	}
	list_for_each_entry(device, &place.host->devices, list)
		if (device->end == place.end)
			device->gone = false;
	return place.host->transport->plug(place.end);
}

static int run_unplug(struct sim_line *line)
{
	return plug(sim_next(line), false);
}

static int run_plug(struct sim_line *line)
{
	return plug(sim_next(line), true);
}

/* Unplugs and plugs again, a number of times. It finds its end by name: that may have gone. */
struct flap {
	struct list_head list;
	struct delayed_work work;
	char name[SIM_NAME + 8];
	u32 times, ms;
	bool out;
};

static LIST_HEAD(flaps);

static void flap_now(struct work_struct *work)
{
	struct flap *flap = container_of(to_delayed_work(work), struct flap, work);
	char name[sizeof(flap->name)];

	mutex_lock(&sim_lock);
	if (list_empty(&flap->list))
		goto unlock; /* sim_events_stop() frees it */
	strscpy(name, flap->name, sizeof(name));
	if (plug(name, flap->out) || (flap->out && !--flap->times)) {
		list_del(&flap->list);
		kfree(flap);
		goto unlock;
	}
	flap->out = !flap->out;
	queue_delayed_work(system_long_wq, &flap->work, msecs_to_jiffies(flap->ms));
unlock:
	mutex_unlock(&sim_lock);
}

static const struct sim_key flap_keys[] = {
	SIM_KEY(struct flap, times, SIM_U32, 1000000, NULL),
	SIM_KEY(struct flap, ms, SIM_U32, 3600000, NULL),
	{},
};

/* "flap NAME times=N ms=M" */
static int run_flap(struct sim_line *line)
{
	struct flap *flap = kzalloc(sizeof(*flap), GFP_KERNEL);
	struct place place;
	char *name = sim_next(line);
	int err;

	if (!flap)
		return -ENOMEM;
	strscpy(flap->name, name ?: "", sizeof(flap->name));
	flap->times = 1;
	flap->ms = 1000;
	err = find(&place, name) ?: sim_set(flap, flap_keys, line);
	if (!err && (!place.end || !flap->times))
		err = sim_refuse("%s: nothing to do", flap->name);
	if (err) {
		kfree(flap);
		return err;
	}
	INIT_DELAYED_WORK(&flap->work, flap_now);
	list_add(&flap->list, &flaps);
	queue_delayed_work(system_long_wq, &flap->work, 0);
	return 0;
}

void sim_events_stop(void)
{
	struct flap *flap;

	mutex_lock(&sim_lock);
	while ((flap = list_first_entry_or_null(&flaps, struct flap, list))) {
		list_del_init(&flap->list);
		mutex_unlock(&sim_lock);
		cancel_delayed_work_sync(&flap->work);
		kfree(flap);
		mutex_lock(&sim_lock);
	}
	mutex_unlock(&sim_lock);
}

static int count(struct sim_line *line, bool reset)
{
	struct place place;
	int err = find(&place, sim_next(line));

	if (err)
		return err;
	if (!place.host->transport->count)
		return sim_refuse("%s counts nothing", place.name);
	return place.host->transport->count(place.host, place.name, place.id, reset ? NULL : line);
}

/* "count NAME[:ID] COUNTER=N...": adds to counters. */
static int run_count(struct sim_line *line)
{
	return count(line, false);
}

static int run_reset_counters(struct sim_line *line)
{
	return count(line, true);
}

/* "lane lost|back NAME:PHY": a phy of a port. */
static int run_lane(struct sim_line *line)
{
	static const char *const ways[] = { "lost", "back" };
	char *word = sim_next(line);
	int way = word ? match_string(ways, ARRAY_SIZE(ways), word) : -1;
	struct place place;
	int err;

	if (way < 0)
		return sim_refuse("a lane is lost or back");
	err = find(&place, sim_next(line));
	if (err)
		return err;
	if (!place.host->transport->lane || place.id < 0)
		return sim_refuse("%s has no lanes", place.name);
	return place.host->transport->lane(place.host, place.name, place.id, way);
}

static struct sim_host *host_named(struct sim_line *line)
{
	struct place place;

	if (find(&place, sim_next(line)))
		return NULL;
	return place.host;
}

/* "bus-reset HOST": as if somebody else on the bus had done it. */
static int run_bus_reset(struct sim_line *line)
{
	struct sim_host *host = host_named(line);

	if (!host)
		return -EINVAL;
	sim_flush(host, NULL, NULL, DID_RESET << 16);
	spin_lock_irq(&host->lock);
	sim_attention_all(host, 0x2902);
	if (host->transport->reset)
		host->transport->reset(host);
	spin_unlock_irq(&host->lock);
	return 0;
}

/* "block HOST on|off": whoever reads the host's changing attributes waits. */
static int run_block(struct sim_line *line)
{
	struct sim_host *host = host_named(line);
	char *word = sim_next(line);
	bool on;

	if (!host)
		return -EINVAL;
	if (!word || kstrtobool(word, &on))
		return sim_refuse("on or off?");
	WRITE_ONCE(host->blocked, on);
	wake_up_all(&host->unblocked);
	return 0;
}

/* "remove HOST": also one that is still being described. */
static int run_remove(struct sim_line *line)
{
	const char *name = sim_next(line);
	struct sim_host *host = name ? sim_host_find(name) : NULL;

	if (!host)
		return sim_refuse("there is no host %s", name ?: "without a name");
	sim_host_remove(host);
	return 0;
}

const struct sim_verb sim_event_verbs[] = {
	{ "set", run_set },
	{ "plug", run_plug },
	{ "unplug", run_unplug },
	{ "flap", run_flap },
	{ "count", run_count },
	{ "reset-counters", run_reset_counters },
	{ "lane", run_lane },
	{ "bus-reset", run_bus_reset },
	{ "block", run_block },
	{ "remove", run_remove },
	{},
};
