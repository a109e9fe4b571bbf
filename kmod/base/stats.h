/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_BASE_STATS_H
#define SMCX_BASE_STATS_H

#include <linux/percpu.h>
#include <linux/types.h>

#include "setup.h"

struct smcx_net;

/**
 * DOC: Statistics
 *
 * Monotonic per-CPU counters of one namespace, in the shape in-tree smc reports
 * them (protocol.rst 7.2, STATS) plus those this module adds. Counters are 64
 * bit and are incremented with this_cpu operations from any context.
 */

/** enum smcx_cnt - scalar counters */
enum smcx_cnt {
	SMCX_CNT_CLNT_V1_OK,	/* connections that became SMC, by role and version */
	SMCX_CNT_CLNT_V2_OK,
	SMCX_CNT_SRV_V1_OK,
	SMCX_CNT_SRV_V2_OK,
	SMCX_CNT_CLNT_HS_ERR,	/* handshakes that ended in an error, not in fallback */
	SMCX_CNT_SRV_HS_ERR,
	SMCX_CNT_CLNT_FALLBACK,	/* connections that went on as TCP */
	SMCX_CNT_SRV_FALLBACK,
	SMCX_CNT_FIRST_CONTACT,	/* link groups created */
	SMCX_CNT_REUSE,		/* connections on an existing link group */
	SMCX_CNT_TX_BYTES,
	SMCX_CNT_RX_BYTES,
	SMCX_CNT_TX_CALLS,
	SMCX_CNT_RX_CALLS,
	SMCX_CNT_TX_DATA_CDC,	/* messages that carried their bytes behind the CDC */
	SMCX_CNT_SPLICE,
	SMCX_CNT_CORK,
	SMCX_CNT_NODELAY,
	SMCX_CNT_URGENT,
	SMCX_CNT_RMB_ALLOC,	/* receive elements from fresh memory / reused */
	SMCX_CNT_RMB_REUSE,
	SMCX_CNT_RMB_FULL_PEER,	/* sender stalled: peer's element full */
	SMCX_CNT_SND_FULL,	/* sender stalled: own send limit */
	SMCX_CNT_PROTO_ERR,	/* messages from a peer refused by proto/ */
	SMCX_CNT_KILLED,	/* connections ended by a link group's death */
	SMCX_CNT_ACCEPT_DROP,	/* children dropped because of the backlog */
	/* Proposal in the SYN; the client's side */
	SMCX_CNT_ONERTT_SENT,	/* SYNs that left with a Proposal */
	SMCX_CNT_ONERTT_ACKED,	/* an SMC server took it: one round trip */
	SMCX_CNT_ONERTT_UNACKED,/* an SMC server did not: two round trips */
	SMCX_CNT_ONERTT_PURGED,	/* a plain server did not take it: taken back, plain TCP */
	SMCX_CNT_ONERTT_VETOED,	/* the option did not fit: sent a SYN without data */
	SMCX_CNT_ONERTT_RESET,	/* a plain server took it: reset and connected anew */
	SMCX_CNT_ONERTT_LOST,	/* a SYN without data had to be sent after it */
	SMCX_CNT_ONERTT_LEARNT,	/* tokens received */
	/* the server's side */
	SMCX_CNT_ONERTT_ACCEPTED,	/* taken out of a SYN, child made */
	SMCX_CNT_ONERTT_COMMITTED,	/* ... that became an SMC connection */
	SMCX_CNT_ONERTT_DECLINED,	/* ... that became TCP */
	SMCX_CNT_ONERTT_TIMEOUT,	/* ... that was never confirmed */
	SMCX_CNT_ONERTT_FAILED,	/* ... that ended otherwise before the Confirm */
	SMCX_CNT_ONERTT_REPLAYED,	/* the very same SYN once more, refused */
	SMCX_CNT_ONERTT_CROWDED,	/* Proposal of a peer for which too many were never confirmed, refused */
	SMCX_CNT_ONERTT_BAD_TOKEN,	/* Proposal in a SYN, token wrong or too old, refused */
	SMCX_CNT_ONERTT_NO_PROPOSAL,	/* other data in a SYN, refused */
	SMCX_CNT_ONERTT_FILTERED,	/* cut off a SYN for a port without SMC listener */
	SMCX_CNT_MAX
};

/** enum smcx_hist - size histograms, nine classes each: <=8K .. >1024K */
enum smcx_hist {
	SMCX_HIST_TX_RMB,
	SMCX_HIST_RX_RMB,
	SMCX_HIST_TX_PAYLOAD,
	SMCX_HIST_RX_PAYLOAD,
	SMCX_HIST_MAX
};
#define SMCX_HIST_CLASSES	9

/**
 * struct smcx_stats - one CPU's counters
 * @cnt: by enum smcx_cnt
 * @hist: by enum smcx_hist and size class
 * @setup: connections by role, enum smcx_phase and class of time
 * @setup_us: sum of their times, microseconds
 */
struct smcx_stats {
	u64 cnt[SMCX_CNT_MAX];
	u64 hist[SMCX_HIST_MAX][SMCX_HIST_CLASSES];
	u64 setup[2][SMCX_PHASE_MAX][SMCX_PHASE_CLASSES];
	u64 setup_us[2][SMCX_PHASE_MAX];
};

/** smcx_stat_add() - add @n to counter @c of @sn. Context: any. */
#define smcx_stat_add(sn, c, n)	this_cpu_add((sn)->stats->cnt[c], (n))
/** smcx_stat_inc() - count one @c in @sn. Context: any. */
#define smcx_stat_inc(sn, c)	this_cpu_inc((sn)->stats->cnt[c])

/**
 * smcx_stat_hist() - count one event of @bytes bytes in histogram @h
 * @sn: namespace
 * @h: which histogram
 * @bytes: size of the event
 *
 * Context: any.
 */
void smcx_stat_hist(struct smcx_net *sn, enum smcx_hist h, size_t bytes);

/**
 * smcx_stats_sum() - add up the counters of all CPUs
 * @sn: namespace
 * @sum: result, overwritten
 *
 * Context: any.
 */
void smcx_stats_sum(const struct smcx_net *sn, struct smcx_stats *sum);

#endif
