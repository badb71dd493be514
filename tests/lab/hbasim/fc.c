// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fibre Channel: a port with a speed and statistics, and remote ports that
 * come and go with it. What a remote port's own link does is not seen, as in
 * the real thing; all share the host's.
 */
#include <asm/unaligned.h>
#include <linux/string.h>
#include <linux/ktime.h>
#include <scsi/scsi_transport.h>
#include <scsi/scsi_transport_fc.h>

#include "hbasim.h"

static const struct sim_choice speeds[] = {
	{ "unknown", FC_PORTSPEED_UNKNOWN },
	{ "1", FC_PORTSPEED_1GBIT },
	{ "2", FC_PORTSPEED_2GBIT },
	{ "4", FC_PORTSPEED_4GBIT },
	{ "8", FC_PORTSPEED_8GBIT },
	{ "10", FC_PORTSPEED_10GBIT },
	{ "16", FC_PORTSPEED_16GBIT },
	{ "20", FC_PORTSPEED_20GBIT },
	{ "25", FC_PORTSPEED_25GBIT },
	{ "32", FC_PORTSPEED_32GBIT },
	{ "40", FC_PORTSPEED_40GBIT },
	{ "50", FC_PORTSPEED_50GBIT },
	{ "64", FC_PORTSPEED_64GBIT },
	{ "100", FC_PORTSPEED_100GBIT },
	{ "128", FC_PORTSPEED_128GBIT },
	{ "256", FC_PORTSPEED_256GBIT },
	{ "not-negotiated", FC_PORTSPEED_NOT_NEGOTIATED },
	{},
};

static const struct sim_choice types[] = {
	{ "fabric", FC_PORTTYPE_NPORT },    { "public-loop", FC_PORTTYPE_NLPORT },
	{ "loop", FC_PORTTYPE_LPORT },	    { "point-to-point", FC_PORTTYPE_PTP },
	{ "unknown", FC_PORTTYPE_UNKNOWN }, {},
};

static const struct sim_choice states[] = {
	{ "unknown", FC_PORTSTATE_UNKNOWN },
	{ "not-present", FC_PORTSTATE_NOTPRESENT },
	{ "online", FC_PORTSTATE_ONLINE },
	{ "offline", FC_PORTSTATE_OFFLINE },
	{ "blocked", FC_PORTSTATE_BLOCKED },
	{ "bypassed", FC_PORTSTATE_BYPASSED },
	{ "diagnostics", FC_PORTSTATE_DIAGNOSTICS },
	{ "linkdown", FC_PORTSTATE_LINKDOWN },
	{ "error", FC_PORTSTATE_ERROR },
	{ "loopback", FC_PORTSTATE_LOOPBACK },
	{},
};

static const struct sim_choice roles[] = {
	{ "target", FC_PORT_ROLE_FCP_TARGET },
	{ "initiator", FC_PORT_ROLE_FCP_INITIATOR },
	{},
};

#define FC_KEY(member, type, limit, choices) \
	SIM_FIELD(#member, struct sim_host, fc.member, type, limit, choices)
#define PORT_KEY(member, type, limit, choices) \
	SIM_FIELD(#member, struct sim_end, fc.member, type, limit, choices)
#define STAT(member) SIM_KEY(struct fc_host_statistics, member, SIM_U64, U64_MAX, NULL)

static const struct sim_key host_keys[] = {
	FC_KEY(speed, SIM_U32, U32_MAX, speeds),
	FC_KEY(speeds, SIM_SET, U32_MAX, speeds),
	FC_KEY(port_name, SIM_U64, U64_MAX, NULL),
	FC_KEY(node_name, SIM_U64, U64_MAX, NULL),
	FC_KEY(fabric_name, SIM_U64, U64_MAX, NULL),
	FC_KEY(port_id, SIM_U32, 0xffffff, NULL),
	FC_KEY(port_type, SIM_U32, FC_PORTTYPE_NPIV, types),
	FC_KEY(port_state, SIM_U32, FC_PORTSTATE_MARGINAL, states),
	FC_KEY(dev_loss_tmo, SIM_U32, 3600, NULL),
	FC_KEY(symbolic, SIM_TEXT, 64, NULL),
	FC_KEY(carries, SIM_U32, SIM_CARRIES, NULL),
	{},
};

static const struct sim_key rport_keys[] = {
	PORT_KEY(port_name, SIM_U64, U64_MAX, NULL),
	PORT_KEY(node_name, SIM_U64, U64_MAX, NULL),
	PORT_KEY(port_id, SIM_U32, 0xffffff, NULL),
	PORT_KEY(roles, SIM_SET, U32_MAX, roles),
	{},
};

static const struct sim_key stat_keys[] = {
	STAT(tx_frames),
	STAT(tx_words),
	STAT(rx_frames),
	STAT(rx_words),
	STAT(lip_count),
	STAT(nos_count),
	STAT(error_frames),
	STAT(dumped_frames),
	STAT(link_failure_count),
	STAT(loss_of_sync_count),
	STAT(loss_of_signal_count),
	STAT(prim_seq_protocol_err_count),
	STAT(invalid_tx_word_count),
	STAT(invalid_crc_count),
	STAT(fcp_input_requests),
	STAT(fcp_output_requests),
	STAT(fcp_control_requests),
	STAT(fcp_input_megabytes),
	STAT(fcp_output_megabytes),
	STAT(fcp_packet_alloc_failures),
	STAT(fcp_packet_aborts),
	STAT(fcp_frame_alloc_failures),
	STAT(fc_no_free_exch),
	STAT(fc_no_free_exch_xid),
	STAT(fc_xid_not_found),
	STAT(fc_xid_busy),
	STAT(fc_seq_not_found),
	STAT(fc_non_bls_resp),
	STAT(cn_sig_warn),
	STAT(cn_sig_alarm),
	{},
};

static struct scsi_transport_template *template;

/* Description. */

static int fc_create(struct sim_host *host)
{
	u64 number = host->shost->host_no;

	host->fc.speed = FC_PORTSPEED_16GBIT;
	host->fc.speeds = FC_PORTSPEED_4GBIT | FC_PORTSPEED_8GBIT | FC_PORTSPEED_16GBIT;
	host->fc.port_name = 0x10000090fa000000ULL | number << 8;
	host->fc.node_name = 0x20000090fa000000ULL | number << 8;
	host->fc.fabric_name = 0x100000051e000001ULL;
	host->fc.port_id = 0x010100 | number << 8;
	host->fc.port_type = FC_PORTTYPE_NPORT;
	host->fc.port_state = FC_PORTSTATE_ONLINE;
	host->fc.dev_loss_tmo = 30;
	host->template.eh_timed_out = fc_eh_timed_out;
	return 0;
}

static struct sim_end *rport_of(struct sim_host *host, u32 id)
{
	struct sim_end *end = sim_end_find(host, id);

	if (end)
		return end;
	end = sim_end_new(host, id);
	if (!end)
		return NULL;
	end->fc.port_name = 0x500a098000000000ULL | (u64)host->shost->host_no << 16 | id << 8;
	end->fc.node_name = end->fc.port_name & ~0xffffULL;
	end->fc.port_id = 0x020000 | id << 8;
	end->fc.roles = FC_PORT_ROLE_FCP_TARGET;
	return end;
}

static struct sim_end *fc_end(struct sim_host *host, char *where)
{
	u32 id;

	if (kstrtou32(where, 10, &id) || id > 4095) {
		sim_refuse("%s is no number of a remote port", where);
		return NULL;
	}
	return rport_of(host, id);
}

/* "rport N key=value..." */
static int run_rport(struct sim_line *line)
{
	struct sim_host *host = sim_building(&sim_fc);
	char *id = sim_next(line);
	struct sim_end *end;

	if (!host)
		return -EINVAL;
	end = id ? fc_end(host, id) : NULL;
	if (!end)
		return sim_refuse("which remote port?");
	sim_building_is(end);
	return sim_set(end, rport_keys, line);
}

/* "stat NAME=N..." */
static int run_stat(struct sim_line *line)
{
	struct sim_host *host = sim_building(&sim_fc);

	return host ? sim_set(&host->fc.stat, stat_keys, line) : -EINVAL;
}

static const struct sim_verb verbs[] = {
	{ "rport", run_rport },
	{ "stat", run_stat },
	{},
};

/* Running. */

static bool is_online(const struct sim_host *host)
{
	return host->fc.port_state == FC_PORTSTATE_ONLINE;
}

/* The class scans a target's LUNs by itself. */
static int rport_add(struct sim_end *end)
{
	struct fc_rport_identifiers ids = {
		.node_name = end->fc.node_name,
		.port_name = end->fc.port_name,
		.port_id = end->fc.port_id,
		.roles = end->fc.roles,
	};
	struct fc_rport *rport = fc_remote_port_add(end->host->shost, 0, &ids);

	if (!rport)
		return -ENOMEM;
	rport->maxframe_size = 2048;
	rport->supported_classes = FC_COS_CLASS3;
	end->fc.rport = rport;
	return 0;
}

/* The class keeps devices, blocked, until dev_loss_tmo has passed. */
static void rport_delete(struct sim_end *end)
{
	struct fc_rport *rport = end->fc.rport;

	if (!rport)
		return;
	end->fc.rport = NULL;
	fc_remote_port_delete(rport);
	sim_flush(end->host, NULL, end, DID_TRANSPORT_DISRUPTED << 16);
}

static int fc_plug(struct sim_end *end)
{
	end->plugged = true;
	return is_online(end->host) ? rport_add(end) : 0;
}

static void fc_unplug(struct sim_end *end)
{
	rport_delete(end);
	end->plugged = false;
}

static void fc_prepare(struct sim_host *host)
{
	host->shost->transportt = template;
	host->shost->max_id = 4096;
	host->shost->max_lun = 256;
	host->shost->max_channel = 0;
}

static int rports_add(struct sim_host *host)
{
	struct sim_end *end;
	int err;

	list_for_each_entry(end, &host->ends, list) {
		err = end->plugged && is_online(host) ? rport_add(end) : 0;
		if (err)
			return err;
	}
	return 0;
}

static int fc_start(struct sim_host *host)
{
	struct Scsi_Host *shost = host->shost;

	host->shown = host->fc.port_state;
	host->fc.started = ktime_get_boottime_seconds();
	fc_host_node_name(shost) = host->fc.node_name;
	fc_host_port_name(shost) = host->fc.port_name;
	fc_host_permanent_port_name(shost) = host->fc.port_name;
	fc_host_supported_speeds(shost) = host->fc.speeds;
	fc_host_supported_classes(shost) = FC_COS_CLASS3;
	fc_host_maxframe_size(shost) = 2048;
	fc_host_dev_loss_tmo(shost) = host->fc.dev_loss_tmo;
	fc_host_supported_fc4s(shost)[2] = 1; /* FCP, type 08h */
	fc_host_active_fc4s(shost)[2] = 1;
	strscpy(fc_host_symbolic_name(shost), host->fc.symbolic, FC_SYMBOLIC_NAME_SIZE);
	return rports_add(host);
}

static void fc_stop(struct sim_host *host)
{
	fc_remove_host(host->shost);
	scsi_remove_host(host->shost);
}

static struct sim_end *fc_find(struct scsi_target *target)
{
	struct sim_host *host = shost_priv(dev_to_shost(&target->dev));
	struct fc_rport *rport = starget_to_rport(target);
	struct sim_end *end;

	if (!rport)
		return NULL;
	list_for_each_entry(end, &host->ends, list)
		if (end->fc.port_name == rport->port_name)
			return end;
	return NULL;
}

static int fc_ready(struct scsi_device *sdev)
{
	struct fc_rport *rport = starget_to_rport(scsi_target(sdev));

	return rport ? fc_remote_port_chkready(rport) : DID_NO_CONNECT << 16;
}

/* The port goes down, or comes up with all that is plugged. */
static int fc_changed(struct sim_host *host)
{
	bool was = host->shown == FC_PORTSTATE_ONLINE;
	struct sim_end *end;

	host->shown = host->fc.port_state;
	fc_host_supported_speeds(host->shost) = host->fc.speeds;
	if (was == is_online(host))
		return 0;
	fc_host_post_event(host->shost, fc_get_event_number(),
			   was ? FCH_EVT_LINKDOWN : FCH_EVT_LINKUP, 0);
	if (!was)
		return rports_add(host);
	spin_lock_irq(&host->lock);
	host->fc.stat.link_failure_count++;
	spin_unlock_irq(&host->lock);
	list_for_each_entry(end, &host->ends, list)
		rport_delete(end);
	return 0;
}

static int fc_set(struct sim_host *host, const char *name, int id, struct sim_line *line)
{
	struct sim_end *end = sim_end_find(host, id);
	int err;

	if (!end)
		return sim_refuse("%s has no remote port %d", name, id);
	err = sim_set(end, rport_keys, line);
	if (!err && end->fc.rport) {
		rport_delete(end);
		err = rport_add(end);
	}
	return err;
}

static int fc_count(struct sim_host *host, const char *name, int id, struct sim_line *line)
{
	struct fc_host_statistics add = {};
	const struct sim_key *key;
	int err = line ? sim_set(&add, stat_keys, line) : 0;

	if (err)
		return err;
	spin_lock_irq(&host->lock);
	if (!line) {
		memset(&host->fc.stat, 0, sizeof(host->fc.stat));
		host->fc.started = ktime_get_boottime_seconds();
	}
	for (key = stat_keys; key->name; key++)
		*(u64 *)((void *)&host->fc.stat + key->offset) += *(u64 *)((void *)&add +
									   key->offset);
	spin_unlock_irq(&host->lock);
	return 0;
}

/* Payload in KB/s: 100 MB/s for each GFC; 10GFC is another code (FC-PI). */
static u32 kilobytes(u32 speed)
{
	const struct sim_choice *choice;
	u32 number;

	if (speed == FC_PORTSPEED_10GBIT)
		return 1200000;
	for (choice = speeds; choice->name; choice++)
		if (choice->value == speed && !kstrtou32(choice->name, 10, &number))
			return number * 100000;
	return 0;
}

static u64 fc_carry(struct sim_device *device, u32 bytes, u64 now)
{
	struct sim_host *host = device->host;
	u32 rate = host->fc.carries ? host->fc.carries * 1000 : kilobytes(host->fc.speed);

	host->bus_free_at = max(host->bus_free_at, now) + sim_nanoseconds(bytes, rate);
	return host->bus_free_at;
}

/* FCP's page 19h says nothing of the link (FCP-4 10.4). */
static unsigned int fc_mode(struct sim_device *device, u8 subpage, u8 *page)
{
	if (subpage)
		return 0;
	memset(page, 0, 8);
	page[0] = 0x19;
	page[1] = 6;
	return 8;
}

static void fc_inquiry(struct sim_device *device, u8 *data)
{
}

static unsigned int fc_designators(struct sim_device *device, u8 *data)
{
	data[0] = 0x01;
	data[1] = 0x80 | 0x10 | 0x03;
	data[3] = 8;
	put_unaligned_be64(device->end->fc.port_name, data + 4);
	return 12;
}

/* What the transport class asks. */

static void get_speed(struct Scsi_Host *shost)
{
	struct sim_host *host = shost_priv(shost);

	sim_wait(host);
	fc_host_speed(shost) = is_online(host) ? host->fc.speed : FC_PORTSPEED_UNKNOWN;
}

static void get_port_state(struct Scsi_Host *shost)
{
	struct sim_host *host = shost_priv(shost);

	sim_wait(host);
	fc_host_port_state(shost) = host->fc.port_state;
}

static void get_port_id(struct Scsi_Host *shost)
{
	struct sim_host *host = shost_priv(shost);

	fc_host_port_id(shost) = is_online(host) ? host->fc.port_id : 0;
}

static void get_port_type(struct Scsi_Host *shost)
{
	struct sim_host *host = shost_priv(shost);

	fc_host_port_type(shost) = is_online(host) ? host->fc.port_type : FC_PORTTYPE_UNKNOWN;
}

static void get_fabric_name(struct Scsi_Host *shost)
{
	struct sim_host *host = shost_priv(shost);

	fc_host_fabric_name(shost) = is_online(host) ? host->fc.fabric_name : 0;
}

static struct fc_host_statistics *get_stats(struct Scsi_Host *shost)
{
	struct sim_host *host = shost_priv(shost);

	sim_wait(host);
	host->fc.stat.seconds_since_last_reset = ktime_get_boottime_seconds() - host->fc.started;
	return &host->fc.stat;
}

static void reset_stats(struct Scsi_Host *shost)
{
	fc_count(shost_priv(shost), NULL, 0, NULL);
}

static void terminate_io(struct fc_rport *rport)
{
	struct sim_host *host = shost_priv(rport_to_shost(rport));
	struct sim_end *end;

	list_for_each_entry(end, &host->ends, list)
		if (end->fc.port_name == rport->port_name)
			sim_flush(host, NULL, end, DID_TRANSPORT_FAILFAST << 16);
}

static void set_dev_loss_tmo(struct fc_rport *rport, u32 timeout)
{
	rport->dev_loss_tmo = timeout ?: 1;
}

static struct fc_function_template functions = {
	.get_host_speed = get_speed,
	.get_host_port_state = get_port_state,
	.get_host_port_id = get_port_id,
	.get_host_port_type = get_port_type,
	.get_host_fabric_name = get_fabric_name,
	.get_fc_host_stats = get_stats,
	.reset_fc_host_stats = reset_stats,
	.set_rport_dev_loss_tmo = set_dev_loss_tmo,
	.terminate_rport_io = terminate_io,
	.show_host_node_name = 1,
	.show_host_port_name = 1,
	.show_host_permanent_port_name = 1,
	.show_host_supported_classes = 1,
	.show_host_supported_fc4s = 1,
	.show_host_supported_speeds = 1,
	.show_host_maxframe_size = 1,
	.show_host_symbolic_name = 1,
	.show_host_active_fc4s = 1,
	.show_host_port_id = 1,
	.show_host_port_type = 1,
	.show_host_port_state = 1,
	.show_host_speed = 1,
	.show_host_fabric_name = 1,
	.show_rport_maxframe_size = 1,
	.show_rport_supported_classes = 1,
	.show_rport_dev_loss_tmo = 1,
	.show_starget_node_name = 1,
	.show_starget_port_name = 1,
	.show_starget_port_id = 1,
};

static int fc_init(void)
{
	template = fc_attach_transport(&functions);
	return template ? 0 : -ENOMEM;
}

static void fc_exit(void)
{
	fc_release_transport(template);
}

const struct sim_transport sim_fc = {
	.name = "fc",
	.protocol = 0,
	.host_keys = host_keys,
	.verbs = verbs,
	.init = fc_init,
	.exit = fc_exit,
	.create = fc_create,
	.prepare = fc_prepare,
	.start = fc_start,
	.stop = fc_stop,
	.end = fc_end,
	.find = fc_find,
	.plug = fc_plug,
	.unplug = fc_unplug,
	.set = fc_set,
	.changed = fc_changed,
	.count = fc_count,
	.carry = fc_carry,
	.ready = fc_ready,
	.mode = fc_mode,
	.inquiry = fc_inquiry,
	.designators = fc_designators,
};
