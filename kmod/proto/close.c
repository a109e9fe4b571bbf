// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Close state machine, protocol.rst 5.9; the picture is in close.h */

#include "close.h"

/* Which of a rule's two outcomes applies */
enum cond {
	ALWAYS,		/* the first */
	CLOSE_SENT,	/* the second if our CDCs carry closed or abort */
	ALL_CLOSED,	/* the second if so and the application has closed as well */
	PEER_CLOSED,	/* the second if the peer has closed or aborted */
};

struct outcome {
	u8	next;	/* 0: unchanged */
	u16	act;
};

struct rule {
	enum cond	cond;
	struct outcome	out[2];
};

/* "send close": abort if the application left data unread, else closed */
#define SEND_CLOSE	0x8000

#define CLOSE_US	(SEND_CLOSE | SMCX_CLOSE_ACT_TCP_SHUT_RDWR)
#define DONE_US		(SMCX_CLOSE_ACT_SEND_DONE | SMCX_CLOSE_ACT_TCP_SHUT_WR)
#define DRAIN		SMCX_CLOSE_ACT_DRAIN
#define ABORT		SMCX_CLOSE_ACT_SEND_ABORT
#define EOF_IN		(SMCX_CLOSE_ACT_RCV_SHUTDOWN | SMCX_CLOSE_ACT_WAKE)
#define RESET_IN	(EOF_IN | SMCX_CLOSE_ACT_SET_RESET)
#define KILLED		(EOF_IN | ABORT | SMCX_CLOSE_ACT_TCP_RESET | \
			 SMCX_CLOSE_ACT_SET_ABORTED)

#define GO(state, act)	{ ALWAYS, { { state, act } } }
#define STAY(act)	{ ALWAYS, { { 0, act } } }
#define EITHER(state, act)	{ state, act }
#define IF(cond, yes, no)	{ cond, { no, yes } }

#define APP_CLOSE	[SMCX_CLOSE_EV_APP_CLOSE]
#define SHUT_WR		[SMCX_CLOSE_EV_APP_SHUT_WR]
#define P_DONE		[SMCX_CLOSE_EV_PEER_DONE]
#define P_CLOSED	[SMCX_CLOSE_EV_PEER_CLOSED]
#define P_ABORT		[SMCX_CLOSE_EV_PEER_ABORT]
#define KILL		[SMCX_CLOSE_EV_KILL]
#define FLUSHED		[SMCX_CLOSE_EV_FLUSHED]

#define ST(s)		SMCX_ST_##s

/* What is not in the table changes nothing. */
static const struct rule table[SMCX_ST_PROCESSABORT + 1][SMCX_CLOSE_EV_MAX] = {
	[ST(INIT)] = {
		APP_CLOSE = GO(ST(CLOSED), 0),
		P_DONE	  = GO(ST(APPCLOSEWAIT1), EOF_IN),
		P_CLOSED  = GO(ST(APPCLOSEWAIT1), EOF_IN),
		P_ABORT	  = GO(ST(PROCESSABORT), RESET_IN),
	},
	[ST(LISTEN)] = {
		APP_CLOSE = GO(ST(CLOSED), SMCX_CLOSE_ACT_STOP_LISTEN),
	},
	[ST(ACTIVE)] = {
		APP_CLOSE = GO(ST(PEERCLOSEWAIT1), DRAIN | CLOSE_US),
		SHUT_WR	  = GO(ST(PEERCLOSEWAIT1), DRAIN | DONE_US),
		P_DONE	  = GO(ST(APPCLOSEWAIT1), EOF_IN),
		P_CLOSED  = GO(ST(APPCLOSEWAIT1), EOF_IN),
		P_ABORT	  = GO(ST(PROCESSABORT), RESET_IN),
		KILL	  = GO(ST(PEERABORTWAIT), KILLED),
	},
	[ST(PEERCLOSEWAIT1)] = {
		APP_CLOSE = IF(CLOSE_SENT, EITHER(0, 0), EITHER(0, CLOSE_US)),
		P_DONE	  = GO(ST(PEERCLOSEWAIT2), EOF_IN),
		P_CLOSED  = IF(ALL_CLOSED, EITHER(ST(CLOSED), EOF_IN),
			       EITHER(ST(APPFINCLOSEWAIT), EOF_IN)),
		P_ABORT	  = IF(CLOSE_SENT, EITHER(ST(CLOSED), RESET_IN),
			       EITHER(ST(PROCESSABORT), RESET_IN)),
		KILL	  = GO(ST(PEERABORTWAIT), KILLED),
	},
	[ST(PEERCLOSEWAIT2)] = {
		APP_CLOSE = IF(CLOSE_SENT, EITHER(0, 0), EITHER(0, CLOSE_US)),
		P_CLOSED  = IF(ALL_CLOSED, EITHER(ST(CLOSED), EOF_IN),
			       EITHER(ST(APPFINCLOSEWAIT), EOF_IN)),
		P_ABORT	  = IF(CLOSE_SENT, EITHER(ST(CLOSED), RESET_IN),
			       EITHER(ST(PROCESSABORT), RESET_IN)),
		KILL	  = GO(ST(PEERABORTWAIT), KILLED),
	},
	[ST(APPCLOSEWAIT1)] = {
		APP_CLOSE = IF(PEER_CLOSED, EITHER(ST(CLOSED), CLOSE_US),
			       EITHER(ST(PEERFINCLOSEWAIT), DRAIN | CLOSE_US)),
		SHUT_WR	  = IF(PEER_CLOSED, EITHER(ST(APPCLOSEWAIT2), DONE_US),
			       EITHER(ST(APPCLOSEWAIT2), DRAIN | DONE_US)),
		P_CLOSED  = STAY(EOF_IN),
		P_ABORT	  = GO(ST(PROCESSABORT), RESET_IN),
		KILL	  = GO(ST(PEERABORTWAIT), KILLED),
	},
	[ST(APPCLOSEWAIT2)] = {
		APP_CLOSE = IF(PEER_CLOSED, EITHER(ST(CLOSED), CLOSE_US),
			       EITHER(ST(PEERFINCLOSEWAIT), DRAIN | CLOSE_US)),
		P_CLOSED  = STAY(EOF_IN),
		P_ABORT	  = GO(ST(CLOSED), ABORT | RESET_IN),
		KILL	  = GO(ST(PEERABORTWAIT), KILLED),
	},
	[ST(APPFINCLOSEWAIT)] = {
		APP_CLOSE = IF(CLOSE_SENT, EITHER(ST(CLOSED), 0),
			       EITHER(ST(CLOSED), CLOSE_US)),
		P_ABORT	  = GO(ST(PROCESSABORT), RESET_IN),
		KILL	  = GO(ST(PEERABORTWAIT), KILLED),
	},
	[ST(PEERFINCLOSEWAIT)] = {
		P_CLOSED  = GO(ST(CLOSED), EOF_IN),
		P_ABORT	  = GO(ST(CLOSED), RESET_IN),
		KILL	  = GO(ST(PEERABORTWAIT), KILLED),
	},
	[ST(PROCESSABORT)] = {
		APP_CLOSE = GO(ST(CLOSED), ABORT | SMCX_CLOSE_ACT_TCP_SHUT_RDWR),
		KILL	  = GO(ST(PEERABORTWAIT), KILLED),
	},
	[ST(PEERABORTWAIT)] = {
		APP_CLOSE = GO(ST(CLOSED), 0),
		P_ABORT	  = GO(ST(CLOSED), EOF_IN),
		FLUSHED	  = GO(ST(CLOSED), SMCX_CLOSE_ACT_WAKE),
	},
};

static bool holds(enum cond cond, const struct smcx_close_ctx *ctx)
{
	switch (cond) {
	case CLOSE_SENT:
		return ctx->close_sent;
	case ALL_CLOSED:
		return ctx->close_sent && ctx->app_closed;
	case PEER_CLOSED:
		return ctx->peer_closed;
	default:
		return false;
	}
}

struct smcx_close_result smcx_close_next(u8 state, enum smcx_close_event ev,
					 const struct smcx_close_ctx *ctx)
{
	struct smcx_close_result res = { .next = state };
	const struct outcome *out;
	unsigned int act;

	if (state > SMCX_ST_PROCESSABORT || ev >= SMCX_CLOSE_EV_MAX)
		return res;
	out = &table[state][ev].out[holds(table[state][ev].cond, ctx)];
	act = out->act;

	if (act & DRAIN && !ctx->drained) {
		res.actions = DRAIN;
		return res;
	}
	act &= ~DRAIN;
	if (act & SEND_CLOSE) {
		act &= ~SEND_CLOSE;
		act |= ctx->unread ? ABORT : SMCX_CLOSE_ACT_SEND_CLOSED;
	}
	if (out->next)
		res.next = out->next;
	/* once: on the way into CLOSED, or when the application follows later */
	if (res.next == SMCX_ST_CLOSED && ctx->app_closed &&
	    (state != SMCX_ST_CLOSED || ev == SMCX_CLOSE_EV_APP_CLOSE))
		act |= SMCX_CLOSE_ACT_RELEASE;
	res.actions = (u16)act;
	return res;
}

const char *smcx_state_name(u8 state)
{
	static const char * const names[] = {
		[ST(ACTIVE)]		= "ACTIVE",
		[ST(INIT)]		= "INIT",
		[ST(CLOSED)]		= "CLOSED",
		[ST(LISTEN)]		= "LISTEN",
		[ST(PEERCLOSEWAIT1)]	= "PEERCLOSEWAIT1",
		[ST(PEERCLOSEWAIT2)]	= "PEERCLOSEWAIT2",
		[ST(APPCLOSEWAIT1)]	= "APPCLOSEWAIT1",
		[ST(APPCLOSEWAIT2)]	= "APPCLOSEWAIT2",
		[ST(APPFINCLOSEWAIT)]	= "APPFINCLOSEWAIT",
		[ST(PEERFINCLOSEWAIT)]	= "PEERFINCLOSEWAIT",
		[ST(PEERABORTWAIT)]	= "PEERABORTWAIT",
		[ST(PROCESSABORT)]	= "PROCESSABORT",
	};

	if (state > SMCX_ST_PROCESSABORT || !names[state])
		return "UNKNOWN";
	return names[state];
}
