/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of the Fibre Channel transport share: names of statistics, and parsers of its texts.
 *
 * Sources: drivers/scsi/scsi_transport_fc.c (fc_port_speed_names, fc_host_statistics; the FPIN counters
 * of hosts and remote ports are there from kernel 5.10 on).
 */
#pragma once

#include "transport/gathering.h"

/* Lists of the files below "statistics": X(name, COUNTER) for each. Each read asks the adapter. */

/* Of hosts and remote ports: what the fabric reports of them; frames it could not deliver, link
 * integrity, congestion. */
#define FC_FPIN_STATISTICS(X)                \
    X(fpin_dn, COUNTER)                      \
    X(fpin_dn_unknown, COUNTER)              \
    X(fpin_dn_timeout, COUNTER)              \
    X(fpin_dn_unable_to_route, COUNTER)      \
    X(fpin_dn_device_specific, COUNTER)      \
    X(fpin_li, ERRORS)                       \
    X(fpin_li_failure_unknown, COUNTER)      \
    X(fpin_li_link_failure_count, ERRORS)    \
    X(fpin_li_loss_of_sync_count, ERRORS)    \
    X(fpin_li_loss_of_signals_count, ERRORS) \
    X(fpin_li_prim_seq_err_count, COUNTER)   \
    X(fpin_li_invalid_tx_word_count, ERRORS) \
    X(fpin_li_invalid_crc_count, ERRORS)     \
    X(fpin_li_device_specific, COUNTER)      \
    X(fpin_cn, COUNTER)                      \
    X(fpin_cn_clear, COUNTER)                \
    X(fpin_cn_lost_credit, COUNTER)          \
    X(fpin_cn_credit_stall, COUNTER)         \
    X(fpin_cn_oversubscription, COUNTER)     \
    X(fpin_cn_device_specific, COUNTER)

/* Of hosts: errors first, then traffic. */
#define FC_HOST_STATISTICS(X)              \
    X(link_failure_count, ERRORS)          \
    X(loss_of_sync_count, ERRORS)          \
    X(loss_of_signal_count, ERRORS)        \
    X(prim_seq_protocol_err_count, ERRORS) \
    X(invalid_tx_word_count, ERRORS)       \
    X(invalid_crc_count, ERRORS)           \
    X(error_frames, COUNTER)               \
    X(dumped_frames, COUNTER)              \
    X(lip_count, EVENTS)                   \
    X(nos_count, EVENTS)                   \
    X(cn_sig_warn, COUNTER)                \
    X(cn_sig_alarm, COUNTER)               \
    X(tx_frames, COUNTER)                  \
    X(tx_words, COUNTER)                   \
    X(rx_frames, COUNTER)                  \
    X(rx_words, COUNTER)                   \
    X(fcp_input_requests, COUNTER)         \
    X(fcp_output_requests, COUNTER)        \
    X(fcp_control_requests, COUNTER)       \
    X(fcp_input_megabytes, MEGABYTES)      \
    X(fcp_output_megabytes, MEGABYTES)     \
    X(fcp_packet_alloc_failures, COUNTER)  \
    X(fcp_packet_aborts, COUNTER)          \
    X(fcp_frame_alloc_failures, COUNTER)   \
    X(fc_no_free_exch, COUNTER)            \
    X(fc_no_free_exch_xid, COUNTER)        \
    X(fc_xid_not_found, COUNTER)           \
    X(fc_xid_busy, COUNTER)                \
    X(fc_seq_not_found, COUNTER)           \
    X(fc_non_bls_resp, COUNTER)

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
