/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM smcx

#if !defined(SMCX_BASE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define SMCX_BASE_TRACE_H

#include <linux/tracepoint.h>

#include "drop.h"
#include "setup.h"

/**
 * DOC: Trace points
 *
 * System smcx in tracefs; Documentation/tracing.rst says how to use them. They stand in the lowest layer that knows
 * namespaces, so that every layer above may include them, and take numbers only: no layer learns of another's
 * structs. Switched off, each is a jump that is not taken.
 */

#define smcx_trace_phases						\
	{ SMCX_PHASE_SYN, "SYN" }, { SMCX_PHASE_ACCEPT, "ACCEPT" },	\
	{ SMCX_PHASE_CONFIRM, "CONFIRM" }, { SMCX_PHASE_FIRST_BYTE, "FIRST_BYTE" }

#define smcx_trace_drops						\
	{ SMCX_DROP_CLC, "CLC" }, { SMCX_DROP_LLC, "LLC" }, { SMCX_DROP_CDC, "CDC" },	\
	{ SMCX_DROP_CURSOR, "CURSOR" }, { SMCX_DROP_BACKLOG, "BACKLOG" }

/* a part of a connection's set-up is done, setup.h */
TRACE_EVENT(smcx_setup,
	TP_PROTO(const struct smcx_setup *s, unsigned int phase, u64 us),
	TP_ARGS(s, phase, us),
	TP_STRUCT__entry(
		__field(const void *,	sk)
		__field(u64,		us)
		__field(u32,		phase)
		__field(u16,		sport)
		__field(u16,		dport)
		__field(bool,		is_server)
	),
	TP_fast_assign(
		__entry->sk = s->sk;
		__entry->us = us;
		__entry->phase = phase;
		__entry->sport = s->sport;
		__entry->dport = s->dport;
		__entry->is_server = s->is_server;
	),
	TP_printk("sk=%p sport=%u dport=%u role=%s phase=%s us=%llu",
		  __entry->sk, __entry->sport, __entry->dport,
		  __entry->is_server ? "server" : "client",
		  __print_symbolic(__entry->phase, smcx_trace_phases), __entry->us)
);

/* a connection goes on as TCP; proto/reason.h */
TRACE_EVENT(smcx_fallback,
	TP_PROTO(const void *sk, u16 sport, u16 dport, u32 reason, u32 peer_reason, bool is_server),
	TP_ARGS(sk, sport, dport, reason, peer_reason, is_server),
	TP_STRUCT__entry(
		__field(const void *,	sk)
		__field(u32,		reason)
		__field(u32,		peer_reason)
		__field(u16,		sport)
		__field(u16,		dport)
		__field(bool,		is_server)
	),
	TP_fast_assign(
		__entry->sk = sk;
		__entry->reason = reason;
		__entry->peer_reason = peer_reason;
		__entry->sport = sport;
		__entry->dport = dport;
		__entry->is_server = is_server;
	),
	TP_printk("sk=%p sport=%u dport=%u role=%s reason=0x%08x peer_reason=0x%08x",
		  __entry->sk, __entry->sport, __entry->dport,
		  __entry->is_server ? "server" : "client",
		  __entry->reason, __entry->peer_reason)
);

/* a link has come up, or goes down */
TRACE_EVENT(smcx_link,
	TP_PROTO(u32 group, u8 link, u8 port, bool up, unsigned int conns),
	TP_ARGS(group, link, port, up, conns),
	TP_STRUCT__entry(
		__field(u32,		group)
		__field(u32,		conns)
		__field(u8,		link)
		__field(u8,		port)
		__field(bool,		up)
	),
	TP_fast_assign(
		__entry->group = group;
		__entry->conns = conns;
		__entry->link = link;
		__entry->port = port;
		__entry->up = up;
	),
	TP_printk("group=%08x link=%u port=%u state=%s conns=%u", __entry->group, __entry->link,
		  __entry->port, __entry->up ? "up" : "down", __entry->conns)
);

/* a link group ends: error its connections get, reason told the peer */
TRACE_EVENT(smcx_group_end,
	TP_PROTO(u32 group, bool is_server, unsigned int conns, int err, u32 reason),
	TP_ARGS(group, is_server, conns, err, reason),
	TP_STRUCT__entry(
		__field(u32,		group)
		__field(u32,		conns)
		__field(int,		err)
		__field(u32,		reason)
		__field(bool,		is_server)
	),
	TP_fast_assign(
		__entry->group = group;
		__entry->conns = conns;
		__entry->err = err;
		__entry->reason = reason;
		__entry->is_server = is_server;
	),
	TP_printk("group=%08x role=%s conns=%u err=%d reason=0x%08x", __entry->group,
		  __entry->is_server ? "server" : "client", __entry->conns, __entry->err,
		  __entry->reason)
);

/* a message from a peer, or a connection, is dropped; drop.h */
TRACE_EVENT(smcx_drop,
	TP_PROTO(unsigned int why),
	TP_ARGS(why),
	TP_STRUCT__entry(
		__field(u32, why)
	),
	TP_fast_assign(
		__entry->why = why;
	),
	TP_printk("why=%s", __print_symbolic(__entry->why, smcx_trace_drops))
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH base
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
