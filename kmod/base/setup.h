/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_BASE_SETUP_H
#define SMCX_BASE_SETUP_H

#include <linux/ktime.h>
#include <linux/types.h>

struct sock;
struct smcx_net;

/**
 * DOC: Set-up times
 *
 * How long the parts of a connection's set-up take, as a histogram of each role and part in the namespace's statistics,
 * and as trace point smcx_setup. A part is measured from the end of the one before:
 *
 * =============  ============================================  ==========================================
 * part           client                                        server
 * =============  ============================================  ==========================================
 * SYN            connect() to SYN-ACK, repetitions included    SYN-ACK to ACK, as TCP measured it
 * ACCEPT         SYN-ACK to Accept                             ACK to the sending of the Accept
 * CONFIRM        Accept to the commit point                    Accept to the commit point
 * FIRST_BYTE     commit point to the peer's first byte         the same
 * =============  ============================================  ==========================================
 *
 * The cost is a look at the clock for each part.
 */

/** enum smcx_phase - parts of the set-up, see DOC "Set-up times" */
enum smcx_phase {
	SMCX_PHASE_SYN,
	SMCX_PHASE_ACCEPT,
	SMCX_PHASE_CONFIRM,
	SMCX_PHASE_FIRST_BYTE,
	SMCX_PHASE_MAX
};

/* class k holds what took up to 32 << k microseconds, the last one the rest */
#define SMCX_PHASE_CLASSES	21
#define SMCX_PHASE_CLASS0_US	32

/**
 * struct smcx_setup - clock of one connection, and how it was set up
 * @since: end of the part before, ns; 0 = does not run
 * @sk: its socket, for trace points; never followed
 * @sport: local port, for trace points
 * @dport: peer's port
 * @is_server: role
 * @one_rtt: set up in one round trip: the Proposal was taken out of the SYN, and this end waited for nothing else
 *	than CLC messages
 */
struct smcx_setup {
	u64		since;
	const void	*sk;
	u16		sport;
	u16		dport;
	bool		is_server;
	bool		one_rtt;
};

/**
 * smcx_setup_start() - the clock runs from now
 * @s: clock
 * @sk: connected TCP socket
 * @is_server: role
 * Context: any.
 */
void smcx_setup_start(struct smcx_setup *s, const struct sock *sk, bool is_server);

/**
 * smcx_setup_count() - a part took so long
 * @sn: namespace
 * @s: clock, unchanged
 * @phase: part
 * @ns: nanoseconds
 * Context: any.
 */
void smcx_setup_count(struct smcx_net *sn, const struct smcx_setup *s, enum smcx_phase phase,
		      u64 ns);

/**
 * smcx_setup_phase() - a part ends now; the next begins
 * @sn: namespace
 * @s: clock; nothing happens if it does not run
 * @phase: part
 * Context: any.
 */
static inline void smcx_setup_phase(struct smcx_net *sn, struct smcx_setup *s,
				    enum smcx_phase phase)
{
	u64 now;

	if (!s->since)
		return;
	now = ktime_get_ns();
	smcx_setup_count(sn, s, phase, now - s->since);
	s->since = now;
}

#endif
