/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hbasim: SCSI hosts made of text, behind the kernel's own transport classes.
 * README.md is the manual; this is the map.
 *
 *	main.c		the control file: text in, one line at a time
 *	words.c		a line's words; tables that set an object's fields by name
 *	topology.c	the lines that describe hosts and devices
 *	host.c		a host's life
 *	parent.c	what a host hangs on: a PCI function or a platform device
 *	midlayer.c	the SCSI host: commands in, answers out, aborts and resets
 *	answer.c	one command to a device -> its answer
 *	pages.c		pages that are the same on every transport
 *	timing.c	when an answer is complete
 *	trouble.c	what devices do wrong
 *	ledger.c	what devices received
 *	events.c	the lines that change a running host
 *	spi.c, sas.c, sas_live.c, sas_pages.c, sas_smp.c, fc.c	the transports
 *
 * Locks. sim_lock (a mutex) is held by every line of text: it guards the
 * lists of hosts, ends and devices, which commands never walk. A host's lock
 * (a spinlock, interrupts off) guards everything a command looks at: pages,
 * troubles, attentions, rates, lanes, and the list of commands under way.
 * Where both are taken, sim_lock is first.
 */
#pragma once

#include <linux/bitmap.h>
#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <scsi/scsi.h>
#include <scsi/scsi_cmnd.h>
#include <scsi/scsi_device.h>
#include <scsi/scsi_host.h>
#include <scsi/scsi_transport_fc.h>
#include <scsi/scsi_transport_sas.h>

#define SIM_NAME 32	   /* a name of a host, an expander or a device, with its NUL */
#define SIM_PHYS 128	   /* of one host or expander; SMP numbers them in a byte */
#define SIM_DEPTH 4	   /* nodes between a device and memory: host and 3 expanders */
#define SIM_SCRATCH 16384  /* the longest answer made from the topology */
#define SIM_MODE_PAGE 4096 /* the longest mode page */
#define SIM_CARRIES 100000 /* MB/s, the most that a link may be made to carry */

struct sim_host;
struct sim_end;
struct sim_device;
struct sim_line;

/* words.c: text. */

struct sim_word {
	char *key;
	char *value; /* NULL where the word has no "=" */
};

struct sim_line {
	struct sim_word word[2048]; /* a page in hex, byte by byte */
	unsigned int count;
	unsigned int next; /* the first that is not used up */
};

/* A value that is a word of a list, such as "lvd"; the list ends with NULL. */
struct sim_choice {
	const char *name;
	u64 value;
};

enum sim_key_type {
	SIM_U32, /* decimal or 0x...; or a choice */
	SIM_U64,
	SIM_FLAG,   /* u32; the word alone means 1 */
	SIM_TEXT,   /* an array of char of .size */
	SIM_SET,    /* u32: choices with commas between */
	SIM_PERIOD, /* u32: a transfer period factor, as 0x09 or as 12.5 (ns) */
};

struct sim_key {
	const char *name;
	enum sim_key_type type;
	size_t offset;
	u64 limit; /* the highest value; for text the array's size */
	const struct sim_choice *choices;
};

/* The table's end is an entry without a name. */
#define SIM_FIELD(name_, struct_, member, type_, limit_, choices_)        \
	{                                                                 \
		name_, type_, offsetof(struct_, member), limit_, choices_ \
	}
#define SIM_KEY(struct_, member, type_, limit_, choices_) \
	SIM_FIELD(#member, struct_, member, type_, limit_, choices_)

int __printf(1, 2) sim_refuse(const char *format, ...);
int sim_split(char *text, struct sim_line *line);
/* The next word without "=", or NULL. */
char *sim_next(struct sim_line *line);
/* Sets the object's fields by the words that are left; all must be known. */
int sim_set(void *object, const struct sim_key *keys, struct sim_line *line);
/* The same for words that any of the tables may know. */
int sim_set_both(void *one, const struct sim_key *keys, void *other,
		 const struct sim_key *other_keys, struct sim_line *line);
/* NAME or NAME:ID. An ID that is not there is -1. */
int sim_place(char *text, char **name, int *id);
/* "0-3,8" */
int sim_list(const char *text, unsigned long *bits, unsigned int size);
/* All hex digits of the words that are left; the caller frees *data. */
int sim_hex(struct sim_line *line, u8 **data, unsigned int *length);

struct sim_verb {
	const char *name;
	int (*run)(struct sim_line *line);
};

/* Hosts. */

/* One kind of transport. Under sim_lock, where nothing else is said. */
struct sim_transport {
	const char *name;
	u8 protocol;			   /* SPC-4 table 478: 0 FCP, 1 SPI, 6 SAS */
	const struct sim_key *host_keys;   /* of struct sim_host */
	const struct sim_key *device_keys; /* of struct sim_end */
	const struct sim_verb *verbs;
	int (*init)(void);
	void (*exit)(void);
	int (*create)(struct sim_host *host);
	/* Before and after scsi_add_host(). */
	void (*prepare)(struct sim_host *host);
	int (*start)(struct sim_host *host);
	void (*stop)(struct sim_host *host); /* with scsi_remove_host() */
	/* The end that "on WHERE" names; made where it may be. */
	struct sim_end *(*end)(struct sim_host *host, char *where);
	/* The end behind the midlayer's target. Any context that may sleep. */
	struct sim_end *(*find)(struct scsi_target *target);
	void (*configured)(struct scsi_device *sdev);
	int (*plug)(struct sim_end *end);
	void (*unplug)(struct sim_end *end);
	/* A reset of the bus. Under the host's lock. */
	void (*reset)(struct sim_host *host);
	/* "set NAME:ID ..."; the line's place is used up. */
	int (*set)(struct sim_host *host, const char *name, int id, struct sim_line *line);
	/* After a host's own fields were set. */
	int (*changed)(struct sim_host *host);
	/* Adds to counters; line NULL: they become 0. A lane of a port is lost or back. */
	int (*count)(struct sim_host *host, const char *name, int id, struct sim_line *line);
	int (*lane)(struct sim_host *host, const char *name, int id, bool back);
	/* Before a command. Under the host's lock. */
	void (*begin)(struct sim_device *device);
	/* When payload that may start now is there. Under the host's lock. */
	u64 (*carry)(struct sim_device *device, u32 bytes, u64 now);
	/* A result that means "not now", or 0. Any context. */
	int (*ready)(struct scsi_device *sdev);
	/* Mode page 19h and log page 18h: bytes, 0 for none. Host's lock. */
	unsigned int (*mode)(struct sim_device *device, u8 subpage, u8 *page);
	unsigned int (*log)(struct sim_device *device, u8 *page);
	/* Bytes 7 and 56 of INQUIRY, port designators of VPD page 83h. */
	void (*inquiry)(struct sim_device *device, u8 *data);
	unsigned int (*designators)(struct sim_device *device, u8 *data);
};

extern const struct sim_transport sim_spi, sim_sas, sim_fc;
extern const struct sim_transport *const sim_transports[];

/* SPI. Of one agreement; the fields are those of a PPR message (SPI-4 16.3.12). */
struct sim_agreement {
	u32 period; /* factor */
	u32 offset; /* 0: asynchronous */
	u32 width;  /* exponent */
	u32 iu, dt, qas, wr_flow, rd_strm, rti, pcomp_en, hold_mcs;
};

struct sim_spi_target {
	struct sim_agreement now;  /* in force, as the host says */
	struct sim_agreement wish; /* what is agreed on when negotiating */
	struct sim_agreement able; /* what the target can do: 19h/04h, INQUIRY */
	struct sim_agreement says; /* the target's word: 19h/03h */
	bool lies;		   /* .says holds, not .now */
	bool stale;		   /* to be negotiated before the next command */
	u32 min_period, max_offset, max_width, max_iu, max_qas;
	u32 carries; /* MB/s, whatever is agreed on; 0: what is agreed on */
};

/* SAS. */
struct sim_phy {
	u32 rate;    /* enum sas_linkrate; of a device's own phy 0: as the near end */
	u32 up_rate; /* what it comes back with */
	u32 min, max, min_hw, max_hw;
	u32 enabled;
	u32 virtual;
	u32 invalid_dwords, disparity, sync_losses, reset_problems;
	u32 changes;
	u32 carries; /* MB/s, whatever the rate; 0: by the rate */
	u64 free_at; /* when the lane has carried all that it was given */
	struct sim_node *node;
	u32 id;
	struct sim_end *end; /* the port that it is a part of, or NULL */
	struct sas_phy *phy;
};

/* A host or an expander. */
struct sim_node {
	struct list_head list; /* sim_host.nodes, the host's own first */
	char name[SIM_NAME];
	struct sim_host *host;
	struct sim_end *up; /* the port that leads here; NULL for the host */
	u64 address;
	u32 phys, rate;
	char vendor[9], product[17], revision[5];
	char up_phys[SIM_NAME]; /* its own phys towards the host, as text */
	DECLARE_BITMAP(up_bits, SIM_PHYS);
	struct sim_phy phy[SIM_PHYS];
	struct device *dev; /* what its phys hang on, while it is there */
};

/* A port of a node, with an expander or an end device behind it. */
struct sim_sas_port {
	struct sim_node *parent;
	struct sim_node *node;		/* the expander behind it, or NULL */
	DECLARE_BITMAP(phys, SIM_PHYS); /* of the parent */
	u64 address;
	u32 rate, able; /* of the link; of the device */
	u32 stp, virtual, bay;
	u64 enclosure;
	struct sim_phy far[2]; /* the device's own phys; only its counters and limits */
	struct sas_port *port;
	struct sas_rphy *rphy;
};

/* FC. */
struct sim_fc_port {
	u64 port_name, node_name;
	u32 port_id, roles;
	struct fc_rport *rport;
};

/* One end of a link, with the devices behind it: a SPI target, a SAS port, an FC remote port. */
struct sim_end {
	struct list_head list;
	struct sim_host *host;
	u32 id;
	bool plugged;
	struct sim_spi_target spi;
	struct sim_sas_port sas;
	struct sim_fc_port fc;
};

struct sim_fc_host {
	u32 speed, speeds; /* FC_PORTSPEED_ bits */
	u32 carries;	   /* MB/s, whatever the speed; 0: by the speed */
	u64 port_name, node_name, fabric_name;
	u32 port_id, port_type, port_state;
	u32 dev_loss_tmo;
	char symbolic[64];
	u64 started; /* for seconds_since_last_reset */
	struct fc_host_statistics stat;
};

struct sim_host {
	struct list_head list;
	const struct sim_transport *transport;
	struct Scsi_Host *shost; /* this structure is its private part */
	struct scsi_host_template template;
	char name[SIM_NAME];
	char driver[SIM_NAME];
	char pci[24], pci_id[24], platform[SIM_NAME];
	u32 pci_class, pci_speed, pci_width, pci_max_speed, pci_max_width;
	u32 slot_speed, slot_width; /* what the port above can do; 0: none is in sight */
	u32 can_queue;
	struct sim_parent *parent;
	struct list_head ends, nodes, devices, attrs;
	struct dentry *dir;
	bool started;
	u32 shown; /* the signalling or the port state that was last acted on */

	spinlock_t lock;
	struct list_head commands; /* under way */
	bool going;		   /* being removed */
	bool blocked;		   /* attribute reads wait */
	wait_queue_head_t unblocked;
	u32 aborts, lun_resets, target_resets, bus_resets, host_resets;
	u8 scratch[SIM_SCRATCH];

	/* SPI */
	u32 this_id, width, signalling; /* enum spi_signal_type */
	u64 bus_free_at;
	/* SAS */
	u32 phys, rate;
	u64 address;
	struct sim_node *node;
	struct sim_fc_host fc;
};

int sim_host_create(struct sim_line *line, struct sim_host **made);
int sim_host_start(struct sim_host *host);
/* Keys that can be set while it runs, beside the transport's. */
const struct sim_key *sim_host_live_keys(void);
void sim_host_remove(struct sim_host *host);
struct sim_host *sim_host_find(const char *name);
struct sim_node *sim_node_find(const char *name);
struct sim_device *sim_device_find(const char *name);
struct sim_end *sim_end_new(struct sim_host *host, u32 id);
struct sim_end *sim_end_find(struct sim_host *host, u32 id);
/* What is being described; NULL: of any transport. Refuse where there is nothing. */
struct sim_host *sim_building(const struct sim_transport *transport);
struct sim_end *sim_building_end(const struct sim_transport *transport);
void sim_building_is(struct sim_end *end);
/* If it was this host that was being described, none is now. */
void sim_building_ends(struct sim_host *host);
extern const struct sim_verb sim_topology_verbs[], sim_host_verbs[], sim_event_verbs[];
extern struct mutex sim_lock;
extern struct list_head sim_hosts;
extern struct dentry *sim_dir;
/* Waits while the host's attributes block. For attribute callbacks. */
void sim_wait(struct sim_host *host);
void sim_events_stop(void);

/* parent.c */
struct sim_parent *sim_parent_create(struct sim_host *host);
struct device *sim_parent_device(struct sim_parent *parent);
void sim_parent_changed(struct sim_host *host);
void sim_parent_remove(struct sim_parent *parent);

/* Devices. */

/* A page given in hex; .length 0: refused. */
enum sim_page_kind { SIM_INQUIRY, SIM_VPD, SIM_MODE, SIM_LOG };

struct sim_page {
	struct list_head list;
	enum sim_page_kind kind;
	u8 code, subcode;
	unsigned int length;
	u8 *data;
};

/* trouble.c */
enum sim_trouble_kind {
	SIM_HANG,
	SIM_DEAF,
	SIM_LONG_INQUIRY,
	SIM_BUSY,
	SIM_FULL,
	SIM_CHECK,
	SIM_VANISH,
	SIM_SLOW,
	SIM_SHORT,
	SIM_LONG,
	SIM_GARBAGE,
	SIM_TRUNCATE,
	SIM_HUGE,
};

struct sim_trouble {
	struct list_head list;
	u32 kind;
	u32 op, page; /* of these only; more than 255: of any */
	u32 times;    /* how often; 0: always */
	u32 after;    /* commands that pass before */
	u32 ms, bytes;
	char sense[12];
	u8 key, asc, ascq;
};

/* ledger.c */
struct sim_entry {
	u64 start, end; /* ns since boot; end 0: under way */
	u32 bytes;
	int result;
	u8 key, asc, ascq;
	u8 length;
	u8 cdb[16];
	const char *event; /* an abort or a reset instead of a command */
};

struct sim_ledger {
	struct sim_entry *entry;
	u64 count;   /* of all since the start */
	u64 emptied; /* entries before this one are not shown */
	u32 op[256];
};

/* By which path an array's LUN likes to be used (SPC-4 6.37, each one more); 0: it does not say. */
enum sim_access {
	SIM_OPTIMIZED = 1,
	SIM_NON_OPTIMIZED,
	SIM_STANDBY_PATH,
	SIM_UNAVAILABLE,
};

/* Power conditions of SBC-3; a stopped device is one after START STOP UNIT. */
enum sim_power { SIM_ACTIVE, SIM_IDLE, SIM_STANDBY, SIM_STOPPED };

struct sim_device {
	struct list_head list;
	struct sim_host *host;
	struct sim_end *end;
	struct scsi_device *sdev;
	char name[SIM_NAME];
	u32 type, lun;
	char vendor[9], product[17], revision[5], serial[33];
	u64 wwn;
	u32 ansi, inquiry; /* version; length of the INQUIRY data */
	u64 blocks;
	u32 block, rpm, queue;
	u32 sata, sata_speed; /* behind a translator; the fastest generation */
	u32 buffer;	      /* KiB that READ BUFFER offers; 0: it is refused */
	u32 media, overhead;  /* MB/s; us a command */
	u32 access;	      /* enum sim_access */
	u64 media_free_at;
	u32 power, spinup, as_awake;
	u32 wakeups;
	u16 attention[8]; /* ASC and ASCQ, oldest first */
	u32 attentions, told;
	struct list_head pages, troubles;
	bool gone; /* vanished, not yet removed */
	struct work_struct vanish;
	struct sim_ledger ledger;
	struct dentry *dir;
};

/* topology.c: shared with events.c */
extern const struct sim_key sim_device_keys[];
void sim_device_free(struct sim_device *device);
void sim_attention(struct sim_device *device, u16 asc);
void sim_attention_all(struct sim_host *host, u16 asc);

/* midlayer.c */
struct sim_command {
	struct list_head list; /* empty: done, or never begun */
	struct hrtimer timer;
	bool deaf;
	u64 entry; /* its number in the ledger */
};

extern struct scsi_host_template sim_template;
/* Ends commands under way: of one device, of one end, or all. */
void sim_flush(struct sim_host *host, struct sim_device *device, struct sim_end *end, int result);

/* answer.c, pages.c: what a device sends. Under the host's lock. */
struct sim_answer {
	u8 *data;	     /* made in scratch, or a page given in hex */
	unsigned int length; /* to be sent, up to what was asked for */
	unsigned int zeroes; /* sent after data */
	u32 payload;	     /* bytes that take time on the link */
	bool media;	     /* read from the medium */
	u32 delay_us;
	u8 status, key, asc, ascq;
	u8 *scratch;
};

void sim_answer(struct sim_device *device, struct scsi_cmnd *command, struct sim_answer *answer);
void sim_sense(struct sim_answer *answer, u8 key, u16 asc);
const struct sim_page *sim_page(struct sim_device *device, enum sim_page_kind kind, u8 code,
				u8 subcode);
unsigned int sim_inquiry(struct sim_device *device, u8 *data);
/* Bytes; 0: there is no such page. */
unsigned int sim_vpd(struct sim_device *device, u8 code, u8 *data);
unsigned int sim_mode(struct sim_device *device, u8 code, u8 subcode, u8 *data);
unsigned int sim_log(struct sim_device *device, u8 code, u8 subcode, u8 *data);
bool sim_has_vpd(struct sim_device *device);
u16 sim_port_group(const struct sim_device *device);

/* trouble.c. Under the host's lock. */
enum sim_fate { SIM_GOES_ON, SIM_NEVER, SIM_NEVER_DEAF, SIM_ANSWERED, SIM_LOST };
enum sim_fate sim_trouble_before(struct sim_device *device, struct scsi_cmnd *command,
				 struct sim_answer *answer);
void sim_trouble_after(struct sim_device *device, struct scsi_cmnd *command,
		       struct sim_answer *answer);
int sim_trouble_add(struct sim_device *device, struct sim_line *line);
void sim_trouble_clear(struct sim_device *device);

/* timing.c */
u64 sim_finish(struct sim_device *device, const struct sim_answer *answer, u64 now);
u64 sim_nanoseconds(u32 bytes, u32 kilobytes_per_second);

/* ledger.c */
int sim_ledger_create(struct sim_device *device);
void sim_ledger_free(struct sim_device *device);
u64 sim_ledger_begin(struct sim_device *device, struct scsi_cmnd *command);
void sim_ledger_end(struct sim_device *device, u64 number, struct scsi_cmnd *command);
void sim_ledger_event(struct sim_device *device, const char *event);
void sim_ledger_files(struct sim_device *device);

/* sas.c, sas_live.c, sas_pages.c, sas_smp.c */

/* What a phy is connected to. */
struct sim_peer {
	u8 type; /* ATTACHED DEVICE TYPE (SPL-4 9.4.3.10): 0 nothing, 1 end device, 2 expander */
	u8 initiator, target; /* protocols: 08h SSP, 04h STP, 02h SMP, 01h SATA */
	u64 address;
	u8 phy;
};

struct sim_peer sim_sas_peer(const struct sim_phy *phy);
extern const struct sim_key sim_sas_phy_keys[];
int sim_sas_init(void);
void sim_sas_exit(void);
void sim_sas_prepare(struct sim_host *host);
int sim_sas_start(struct sim_host *host);
void sim_sas_stop(struct sim_host *host);
struct sim_end *sim_sas_find(struct scsi_target *target);
int sim_sas_plug(struct sim_end *end);
void sim_sas_unplug(struct sim_end *end);
int sim_sas_set(struct sim_host *host, const char *name, int id, struct sim_line *line);
int sim_sas_count(struct sim_host *host, const char *name, int id, struct sim_line *line);
int sim_sas_lane(struct sim_host *host, const char *name, int id, bool back);
u64 sim_sas_carry(struct sim_device *device, u32 bytes, u64 now);
void sim_sas_inquiry(struct sim_device *device, u8 *data);
unsigned int sim_sas_designators(struct sim_device *device, u8 *data);
/* The phy at the other end of an expander's port, or NULL. */
struct sim_phy *sim_sas_partner(const struct sim_phy *phy);
bool sim_sas_is_up(const struct sim_phy *phy);
unsigned int sim_sas_mode(struct sim_device *device, u8 subpage, u8 *page);
unsigned int sim_sas_log(struct sim_device *device, u8 *page);
void sim_sas_smp(struct bsg_job *job, struct Scsi_Host *shost, struct sas_rphy *rphy);
