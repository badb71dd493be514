/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of the Fibre Channel transport share: names of statistics, and parsers of its texts.
 *
 * Sources: drivers/scsi/scsi_transport_fc.c (fc_port_speed_names, fc_host_statistics; the FPIN counters
 * of hosts and remote ports are there from kernel 5.10 on).
 */
#pragma once

#include "transport/gathering.h"

/* Lists of the files below "statistics": X(name) for each. Each read asks the adapter. */

/* Of hosts and remote ports: what the fabric reports of them; frames it could not deliver, link
 * integrity, congestion. */
#define FC_FPIN_STATISTICS(X)        \
    X(fpin_dn)                       \
    X(fpin_dn_unknown)               \
    X(fpin_dn_timeout)               \
    X(fpin_dn_unable_to_route)       \
    X(fpin_dn_device_specific)       \
    X(fpin_li)                       \
    X(fpin_li_failure_unknown)       \
    X(fpin_li_link_failure_count)    \
    X(fpin_li_loss_of_sync_count)    \
    X(fpin_li_loss_of_signals_count) \
    X(fpin_li_prim_seq_err_count)    \
    X(fpin_li_invalid_tx_word_count) \
    X(fpin_li_invalid_crc_count)     \
    X(fpin_li_device_specific)       \
    X(fpin_cn)                       \
    X(fpin_cn_clear)                 \
    X(fpin_cn_lost_credit)           \
    X(fpin_cn_credit_stall)          \
    X(fpin_cn_oversubscription)      \
    X(fpin_cn_device_specific)

/* Of hosts: errors first, then traffic. */
#define FC_HOST_STATISTICS(X)      \
    X(link_failure_count)          \
    X(loss_of_sync_count)          \
    X(loss_of_signal_count)        \
    X(prim_seq_protocol_err_count) \
    X(invalid_tx_word_count)       \
    X(invalid_crc_count)           \
    X(error_frames)                \
    X(dumped_frames)               \
    X(lip_count)                   \
    X(nos_count)                   \
    X(cn_sig_warn)                 \
    X(cn_sig_alarm)                \
    X(tx_frames)                   \
    X(tx_words)                    \
    X(rx_frames)                   \
    X(rx_words)                    \
    X(fcp_input_requests)          \
    X(fcp_output_requests)         \
    X(fcp_control_requests)        \
    X(fcp_input_megabytes)         \
    X(fcp_output_megabytes)        \
    X(fcp_packet_alloc_failures)   \
    X(fcp_packet_aborts)           \
    X(fcp_frame_alloc_failures)    \
    X(fc_no_free_exch)             \
    X(fc_no_free_exch_xid)         \
    X(fc_xid_not_found)            \
    X(fc_xid_busy)                 \
    X(fc_seq_not_found)            \
    X(fc_non_bls_resp)

/* Speeds in Gbit/s: the one of "16 Gbit"; the greatest of "1 Gbit, 10 Gbit, 8 Gbit", which the kernel
 * lists in the order of its own table. "unknown", "Not Negotiated" and nothing at all say nothing. */
int fc_parse_speed(struct fact_set *set, const struct fact_key *key, const char *origin,
                   struct bytes raw);
int fc_parse_speeds(struct fact_set *set, const struct fact_key *key, const char *origin,
                    struct bytes raw);

/* "0x1f". A counter that the adapter lacks is all ones (qla2xxx, zfcp), and says nothing; or it stays 0
 * (lpfc), which cannot be told from none. */
int fc_parse_statistic(struct fact_set *set, const struct fact_key *key, const char *origin,
                       struct bytes raw);
