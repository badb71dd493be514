/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The finders for sysfs attributes and udev properties: what a value is, is told by its name.
 */
#include "source/scrub_find.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"

/* What the value of a file or property is, by its name. */
enum content {
    CONTENT_ADDRESS,   /* SAS address, WWN, GUID, GID */
    CONTENT_EXTENSION, /* lower half of a 128-bit WWN */
    CONTENT_WWID,      /* scsi_device wwid: "naa.…", "eui.…", "t10.…" */
    CONTENT_SERIAL,
    CONTENT_LONG_SERIAL, /* udev's ID_SERIAL: vendor, model and serial, or a WWN behind a digit */
    CONTENT_NAME,        /* iSCSI name, or any text somebody chose */
    CONTENT_NET,         /* MAC or IP address */
    CONTENT_HOST,
    CONTENT_SYMBOLIC, /* fc_host symbolic_name, with "HN:host" in it */
    CONTENT_PUBLIC,   /* needed as it is */
    CONTENT_SECRET,
    CONTENT_OTHER,
};

/* Attributes of drivers/scsi/scsi_transport_{sas,fc,iscsi,srp}.c, scsi_sysfs.c, of the host templates of
 * drivers, of drivers/s390/scsi/zfcp_sysfs.c, InfiniBand, net, USB and DMI; udev properties. */
static const struct {
    const char *name;
    enum content content;
} CONTENTS[] = {
    { "sas_address", CONTENT_ADDRESS },
    { "host_sas_address", CONTENT_ADDRESS },
    { "enclosure_identifier", CONTENT_ADDRESS },
    { "node_name", CONTENT_ADDRESS },
    { "port_name", CONTENT_ADDRESS },
    { "permanent_port_name", CONTENT_ADDRESS },
    { "fabric_name", CONTENT_ADDRESS },
    { "peer_wwnn", CONTENT_ADDRESS },
    { "peer_wwpn", CONTENT_ADDRESS },
    { "wwpn", CONTENT_ADDRESS },
    { "unique_id", CONTENT_ADDRESS },
    { "ieee1394_id", CONTENT_ADDRESS },
    { "id", CONTENT_ADDRESS },
    { "port_id", CONTENT_ADDRESS },
    { "id_ext", CONTENT_ADDRESS },
    { "ioc_guid", CONTENT_ADDRESS },
    { "sgid", CONTENT_ADDRESS },
    { "dgid", CONTENT_ADDRESS },
    { "orig_dgid", CONTENT_ADDRESS },
    { "node_guid", CONTENT_ADDRESS },
    { "sys_image_guid", CONTENT_ADDRESS },
    { "wwid", CONTENT_WWID },
    { "serial", CONTENT_SERIAL },
    { "serial_num", CONTENT_SERIAL }, /* qla2xxx, qla4xxx */
    { "serial_number", CONTENT_SERIAL },
    { "serialnum", CONTENT_SERIAL },
    { "board_tracer", CONTENT_SERIAL },
    { "board_serial", CONTENT_SERIAL },
    { "product_serial", CONTENT_SERIAL },
    { "product_uuid", CONTENT_SERIAL },
    { "chassis_serial", CONTENT_SERIAL },
    { "chassis_asset_tag", CONTENT_SERIAL },
    { "initiatorname", CONTENT_NAME },
    { "targetname", CONTENT_NAME },
    { "targetalias", CONTENT_NAME },
    { "hwaddress", CONTENT_NET },
    { "ipaddress", CONTENT_NET },
    { "address", CONTENT_NET },
    { "persistent_address", CONTENT_NET },
    { "local_ipaddr", CONTENT_NET },
    { "gateway", CONTENT_NET },
    { "broadcast", CONTENT_NET },
    { "permaddr", CONTENT_NET },
    { "system_hostname", CONTENT_HOST },
    { "symbolic_name", CONTENT_SYMBOLIC },
    { "username", CONTENT_SECRET },
    { "username_in", CONTENT_SECRET },
    { "password", CONTENT_SECRET },
    { "password_in", CONTENT_SECRET },
    { "chap-name", CONTENT_SECRET },
    { "chap-secret", CONTENT_SECRET },
    { "rev-chap-name", CONTENT_SECRET },
    { "rev-chap-name-secret", CONTENT_SECRET },
    { "vendor", CONTENT_PUBLIC },
    { "model", CONTENT_PUBLIC },
    { "rev", CONTENT_PUBLIC },
    { "state", CONTENT_PUBLIC },
    { "vendor_id", CONTENT_PUBLIC },
    { "product_id", CONTENT_PUBLIC },
    { "product_rev", CONTENT_PUBLIC },
    { "component_id", CONTENT_PUBLIC },
    { "component_vendor_id", CONTENT_PUBLIC },
    { "proc_name", CONTENT_PUBLIC },
    { "modalias", CONTENT_PUBLIC },
    { "model_name", CONTENT_PUBLIC },
    { "modelname", CONTENT_PUBLIC },
    { "modeldesc", CONTENT_PUBLIC },
    { "model_description", CONTENT_PUBLIC },
    { "manufacturer", CONTENT_PUBLIC },
    { "product", CONTENT_PUBLIC },
    { "board_name", CONTENT_PUBLIC },
    { "board_assembly", CONTENT_PUBLIC },
    { "version", CONTENT_PUBLIC },
    { "version_fw", CONTENT_PUBLIC },
    { "version_product", CONTENT_PUBLIC },
    { "fwrev", CONTENT_PUBLIC },
    { "HBAD_TIER", CONTENT_PUBLIC },
    { "ID_MODEL", CONTENT_PUBLIC },
    { "ID_VENDOR", CONTENT_PUBLIC },
    { "ID_REVISION", CONTENT_PUBLIC },
    { "ID_BUS", CONTENT_PUBLIC },
    { "ID_TYPE", CONTENT_PUBLIC },
    { "ID_WWN", CONTENT_ADDRESS },
    { "ID_WWN_WITH_EXTENSION", CONTENT_ADDRESS },
    { "ID_WWN_VENDOR_EXTENSION", CONTENT_EXTENSION },
    { "ID_SERIAL", CONTENT_LONG_SERIAL },
    { "ID_USB_SERIAL", CONTENT_LONG_SERIAL },
    { "ID_SERIAL_SHORT", CONTENT_SERIAL },
    { "ID_USB_SERIAL_SHORT", CONTENT_SERIAL },
    { "ID_SCSI_SERIAL", CONTENT_SERIAL },
    { "SCSI_IDENT_SERIAL", CONTENT_SERIAL },
    { "ID_FS_UUID", CONTENT_SERIAL },
    { "ID_FS_UUID_ENC", CONTENT_SERIAL },
    { "ID_FS_UUID_SUB", CONTENT_SERIAL },
    { "ID_FS_LABEL", CONTENT_NAME },
    { "ID_FS_LABEL_ENC", CONTENT_NAME },
    { "ID_PART_TABLE_UUID", CONTENT_SERIAL },
    { "ID_PART_ENTRY_UUID", CONTENT_SERIAL },
    { "ID_PART_ENTRY_NAME", CONTENT_NAME },
};

static enum content content_of(struct bytes name)
{
    for (size_t i = 0; i < ELEMENTS(CONTENTS); i++)
        if (CONTENTS[i].name[0] == (char)bytes_at(name, 0) && bytes_are(name, CONTENTS[i].name))
            return CONTENTS[i].content;
    return CONTENT_OTHER;
}

bool scrub_is_secret(struct bytes name)
{
    return content_of(name) == CONTENT_SECRET;
}

bool scrub_is_public(struct bytes name)
{
    return content_of(name) == CONTENT_PUBLIC;
}

static int find_wwid(struct bytes value, struct spans *ret)
{
    if (value.len > 4 && memcmp(value.data, "t10.", 4) == 0)
        return span_add_t10(ret, value, 4, bytes_trimmed(value).len - 4);
    return span_add_hex(ret, value, 0, value.len);
}

/* "ST8000NM0055-1RM112_ZA1FSLC9", "SEAGATE_ST8000NM0075_ZA100000", "35000c50012345678": what follows the
 * last '_' where nothing known is in it. */
static int find_long_serial(struct bytes value, struct spans *ret)
{
    struct bytes text = bytes_slice(value, 0, value.len);
    size_t start;

    while (text.len && byte_is_padding(text.data[text.len - 1]))
        text.len--;
    start = text.len;
    for (size_t at = 0; at < text.len; at++) {
        struct hex_run run = hex_run_at(text, at);

        if (run.end == text.len && run.digits >= 16)
            return span_add_hex(ret, text, at, text.len - at);
        at = run.end;
    }
    while (start && text.data[start - 1] != '_')
        start--;
    return span_add_serial(ret, value, start, text.len - start, true);
}

static int find_name(struct bytes value, struct spans *ret)
{
    struct bytes text = bytes_trimmed(value);

    if (text.len > 4 && memcmp(text.data, "iqn.", 4) == 0)
        return span_add(ret, span_over(value, text, WRITTEN_IQN));
    if (text.len > 4 && (memcmp(text.data, "naa.", 4) == 0 || memcmp(text.data, "eui.", 4) == 0))
        return span_add_hex(ret, value, 4, text.len - 4);
    return span_add_serial(ret, value, 0, value.len, true);
}

static int find_net(struct bytes value, struct spans *ret)
{
    struct bytes text = bytes_trimmed(value);
    struct hex_run run = hex_run_at(text, 0);
    char copy[INET6_ADDRSTRLEN];
    uint8_t address[16];

    if (run.group == 2 && run.end == text.len)
        return span_add_hex(ret, value, 0, value.len);
    if (text.len == 0 || text.len >= sizeof(copy))
        return 0;
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    if (inet_pton(AF_INET, copy, address) != 1 && inet_pton(AF_INET6, copy, address) != 1)
        return 0;
    return span_add(ret, span_over(value, text, WRITTEN_IP));
}

static int find_host(struct bytes value, struct spans *ret)
{
    struct bytes text = bytes_trimmed(value);

    return text_is_identity(text) ? span_add(ret, span_over(value, text, WRITTEN_HOST)) : 0;
}

/* "Emulex LPe12000 FV2.02A0 DV12.6.0.4 HN:host OS:Linux" (lpfc_vport_symbolic_node_name). */
static int find_symbolic(struct bytes value, struct spans *ret)
{
    const uint8_t *at = memmem(value.data, value.len, "HN:", 3);
    size_t start = at ? (size_t)(at - value.data) + 3 : value.len, end = start;

    while (end < value.len && !byte_is_padding(value.data[end]))
        end++;
    while (end > start && value.data[end - 1] == '.')
        end--;
    return span_add(ret, (struct span){ start, end - start, WRITTEN_HOST, 0, false });
}

static int find_content(enum content content, struct bytes value, struct spans *ret)
{
    switch (content) {
    case CONTENT_ADDRESS:
        return span_add_hex(ret, value, 0, value.len);
    case CONTENT_EXTENSION: {
        size_t prefix = value.len > 2 && value.data[1] == 'x' ? 2 : 0;
        struct hex_run run = hex_run_at(value, prefix);

        return span_add(ret,
                        (struct span){ prefix, run.end - prefix, WRITTEN_EXTENSION, 0, false });
    }
    case CONTENT_WWID:
        return find_wwid(value, ret);
    case CONTENT_SERIAL:
        return span_add_serial(ret, value, 0, value.len, false);
    case CONTENT_LONG_SERIAL:
        return find_long_serial(value, ret);
    case CONTENT_NAME:
        return find_name(value, ret);
    case CONTENT_NET:
        return find_net(value, ret);
    case CONTENT_HOST:
        return find_host(value, ret);
    case CONTENT_SYMBOLIC:
        return find_symbolic(value, ret);
    case CONTENT_PUBLIC:
    case CONTENT_SECRET:
    case CONTENT_OTHER:
        break;
    }
    return 0;
}

bool scrub_is_identify_text(struct bytes name, struct bytes value)
{
    /* 256 words of four digits and what is between them. */
    return bytes_are(name, "id") && value.len >= 256 * 5 - 1 && value.data[4] == ' ';
}

int scrub_find_in_file(struct bytes name, enum zone zone, struct bytes value, struct spans *ret)
{
    int r;

    if (value.len == 0)
        return 0;
    switch (zone) {
    case ZONE_ROUTE:
        return scrub_find_routes(value, ret);
    case ZONE_PROC_SCSI:
        return scrub_find_in_proc_scsi(value, ret);
    case ZONE_MOUNTS:
        return scrub_find_in_mounts(value, ret);
    case ZONE_SWAPS:
        return scrub_find_in_swaps(value, ret);
    case ZONE_MAPS:
        return scrub_find_in_map(name, value, ret);
    case ZONE_CMDLINE:
    case ZONE_MODPROBE:
        return 0;
    case ZONE_SYSFS:
        if (scrub_find_in_page_file(name, value, ret, &r))
            return r;
        break;
    case ZONE_PROPS:
        break;
    }
    return find_content(content_of(name), value, ret);
}
