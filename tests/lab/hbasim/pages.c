// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages that are the same on every transport, and the choice between a page
 * given in hex and one that is made.
 */
#include <asm/unaligned.h>
#include <linux/string.h>

#include "hbasim.h"

const struct sim_page *sim_page(struct sim_device *device, enum sim_page_kind kind, u8 code,
				u8 subcode)
{
	const struct sim_page *page;

	list_for_each_entry(page, &device->pages, list)
		if (page->kind == kind && page->code == code && page->subcode == subcode)
			return page;
	return NULL;
}

/* Text without a NUL, blanks at its end. */
static void put_text(u8 *data, const char *text, unsigned int size)
{
	size_t length = strnlen(text, size);

	memcpy(data, text, length);
	memset(data + length, ' ', size - length);
}

/* Standard INQUIRY data (SPC-4 6.4.2). */
unsigned int sim_inquiry(struct sim_device *device, u8 *data)
{
	unsigned int length = clamp(device->inquiry, 36U, 255U);

	memset(data, 0, 256);
	data[0] = device->type;
	data[1] = device->type == TYPE_TAPE || device->type == TYPE_ROM ||
				  device->type == TYPE_MEDIUM_CHANGER ?
			  0x80 :
			  0;
	data[2] = device->ansi;
	data[3] = 0x02;
	data[4] = length - 5;
	data[5] = device->access ? 0x10 : 0; /* TPGS: implicit */
	data[7] = 0x02;			     /* CMDQUE */
	put_text(data + 8, device->vendor, 8);
	put_text(data + 16, device->product, 16);
	put_text(data + 32, device->revision, 4);
	device->host->transport->inquiry(device, data);
	return length;
}

/* VPD came with SPC; a SCSI-2 device has none here. */
bool sim_has_vpd(struct sim_device *device)
{
	return device->ansi >= 3;
}

static unsigned int vpd_header(struct sim_device *device, u8 code, u8 *data, unsigned int length)
{
	data[0] = device->type;
	data[1] = code;
	put_unaligned_be16(length, data + 2);
	return 4 + length;
}

/* The path's group, and its port in it: one group a port. */
u16 sim_port_group(const struct sim_device *device)
{
	return device->end->id + 1;
}

/* The relative target port, or its group (SPC-4 7.8.6). */
static u8 *port_designator(const struct sim_device *device, u8 type, u8 *data)
{
	data[0] = 0x01;
	data[1] = 0x80 | 0x10 | type;
	data[2] = 0;
	data[3] = 4;
	put_unaligned_be32(sim_port_group(device), data + 4);
	return data + 8;
}

/* Designators: the unit's NAA name, then those of the port (SPC-4 7.8.6). */
static unsigned int identification(struct sim_device *device, u8 *data)
{
	u8 *end = data + 4;

	*end++ = 0x01; /* binary */
	*end++ = 0x03; /* of the logical unit, NAA */
	*end++ = 0;
	*end++ = 8;
	put_unaligned_be64(device->wwn, end);
	end += 8;
	if (device->host->transport->designators)
		end += device->host->transport->designators(device, end);
	if (device->access) {
		end = port_designator(device, 0x04, end);
		end = port_designator(device, 0x05, end);
	}
	return vpd_header(device, 0x83, data, end - data - 4);
}

/* Words of IDENTIFY DEVICE that matter: serial, model, speeds (ACS-3 7.12). */
static void identify(struct sim_device *device, u8 *data)
{
	u8 text[40];
	int i;

	put_text(text, device->serial, 20);
	for (i = 0; i < 20; i++)
		data[20 + i] = text[i ^ 1];
	put_text(text, device->revision, 8);
	for (i = 0; i < 8; i++)
		data[46 + i] = text[i ^ 1];
	put_text(text, device->product, 40);
	for (i = 0; i < 40; i++)
		data[54 + i] = text[i ^ 1];
	put_unaligned_le16(0x0040, data);
	put_unaligned_le16(BIT(8) | ((2 << device->sata_speed) - 2), data + 152);
	put_unaligned_le16(device->sata_speed << 1, data + 154);
	put_unaligned_le16(0x01f0, data + 160); /* ATA8-ACS and before */
	put_unaligned_le16(0x4000, data + 166);
	put_unaligned_le16(0x4000, data + 174);
	put_unaligned_le16(device->rpm ?: 1, data + 434);
	put_unaligned_le16(0x1020, data + 444);
}

/* ATA Information (SAT-3 12.4.2). */
static unsigned int ata_information(struct sim_device *device, u8 *data)
{
	put_text(data + 8, "HBASIM", 8);
	put_text(data + 16, "SATL", 16);
	put_text(data + 32, "0001", 4);
	data[36] = 0x34;
	data[40] = 0x01;
	data[56] = 0xec;
	identify(device, data + 60);
	return vpd_header(device, 0x89, data, 568);
}

static unsigned int block_characteristics(struct sim_device *device, u8 *data)
{
	put_unaligned_be16(device->rpm ?: 1, data + 4);
	data[7] = 3; /* 2.5 inch */
	return vpd_header(device, 0xb1, data, 60);
}

/* Is there such a page, given or made? */
static bool has_vpd(struct sim_device *device, unsigned int code)
{
	const struct sim_page *page = sim_page(device, SIM_VPD, code, 0);

	if (page)
		return page->length;
	switch (code) {
	case 0x00:
	case 0x80:
	case 0x83:
		return true;
	case 0x89:
		return device->sata;
	case 0xb1:
		return device->type == TYPE_DISK && device->ansi >= 5;
	}
	return false;
}

static unsigned int supported(struct sim_device *device, u8 *data)
{
	unsigned int code, count = 0;

	for (code = 0; code < 256; code++)
		if (has_vpd(device, code))
			data[4 + count++] = code;
	return vpd_header(device, 0x00, data, count);
}

unsigned int sim_vpd(struct sim_device *device, u8 code, u8 *data)
{
	memset(data, 0, 1024);
	if (!sim_has_vpd(device) || !has_vpd(device, code))
		return 0;
	switch (code) {
	case 0x00:
		return supported(device, data);
	case 0x80:
		put_text(data + 4, device->serial, strlen(device->serial));
		return vpd_header(device, code, data, strlen(device->serial));
	case 0x83:
		return identification(device, data);
	case 0x89:
		return ata_information(device, data);
	default:
		return block_characteristics(device, data);
	}
}

/* Caching (SBC-3 6.5.5): write cache off, so that nobody flushes it. */
static unsigned int caching(u8 *data)
{
	memset(data, 0, 20);
	data[0] = 0x08;
	data[1] = 18;
	return 20;
}

/* Control (SPC-4 7.5.8). */
static unsigned int control(u8 *data)
{
	memset(data, 0, 12);
	data[0] = 0x0a;
	data[1] = 10;
	return 12;
}

unsigned int sim_mode(struct sim_device *device, u8 code, u8 subcode, u8 *data)
{
	const struct sim_page *page = sim_page(device, SIM_MODE, code, subcode);

	if (page) {
		unsigned int length = min_t(unsigned int, page->length, SIM_MODE_PAGE);

		memcpy(data, page->data, length);
		return length;
	}
	if (code == 0x08 && !subcode && device->type == TYPE_DISK)
		return caching(data);
	if (code == 0x0a && !subcode)
		return control(data);
	if (code == 0x19)
		return device->host->transport->mode(device, subcode, data);
	return 0;
}

/* What pages there are (SPC-4 7.3.16). */
static unsigned int log_pages(struct sim_device *device, u8 *data)
{
	unsigned int code, count = 0;

	for (code = 0; code < 0x3f; code++) {
		const struct sim_page *page = sim_page(device, SIM_LOG, code, 0);
		bool made = code == 0 || (code == 0x18 && device->host->transport->log &&
					  device->host->transport->log(device, data + 512));

		if (page ? page->length : made)
			data[4 + count++] = code;
	}
	memset(data, 0, 4);
	put_unaligned_be16(count, data + 2);
	return 4 + count;
}

unsigned int sim_log(struct sim_device *device, u8 code, u8 subcode, u8 *data)
{
	if (subcode || device->ansi < 3)
		return 0;
	if (!code)
		return log_pages(device, data);
	if (code == 0x18 && device->host->transport->log)
		return device->host->transport->log(device, data);
	return 0;
}
