/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef SMCX_PROTO_CLOSE_H
#define SMCX_PROTO_CLOSE_H

#include "host.h"

/**
 * DOC: Close state machine
 *
 * How a connection ends (protocol.rst 5.8, 5.9). We close first on the left side,
 * the peer closes first on the right side; W = we sent done-writing only::
 *
 *	               +---------------- ACTIVE ---------------+
 *	 close /       |                    |                  | peer done /
 *	 shutdown(WR)  v                    | peer abort       v peer closed
 *	        PEERCLOSEWAIT1              |            APPCLOSEWAIT1
 *	           |      | peer done       |              |       | shutdown(WR)
 *	           |      v                 |              |       v
 *	           |  PEERCLOSEWAIT2        |              |  APPCLOSEWAIT2
 *	 peer      |      |                 v              |       | close
 *	 closed    +------+          PROCESSABORT <--------+       |
 *	           |      |  W              | close    abort|      |
 *	           |      v                 |              v       v
 *	           | APPFINCLOSEWAIT        |     peer not yet closed: PEERFINCLOSEWAIT
 *	           |      | close           |              |            | peer closed
 *	           v      v                 v              v            v
 *	           +------+----------- CLOSED ------------+------------+
 *
 *	 any live state -- local kill --> PEERABORTWAIT -- flushed --> CLOSED
 *
 * The table in close.c is the machine: smcx_close_next() looks up state and event
 * and returns the next state and what to do. The caller keeps the context
 * (what was sent, what was received), performs the actions, and feeds events
 * one at a time under its connection lock. If the peer's flags say done-writing and
 * closed at once, the two events are fed in that order.
 *
 * Draining: if data is still to be sent, closing answers %SMCX_CLOSE_ACT_DRAIN
 * and leaves the state alone. The caller waits (bounded by SO_LINGER or two seconds,
 * never under a lock) and feeds the same event again with drained set, whatever
 * happened in between, unless CLOSED was reached. A close supersedes a shutdown that
 * waits. A caller whose flags follow the data out by themselves says drained at once.
 *
 * Where this differs from Linux: an abort received in APPCLOSEWAIT2 is answered
 * with an abort, because the peer may wait for it in PEERCLOSEWAIT2 for as long as
 * the link group lives.
 *
 * A peer may close before the handshake is done here, so the handshake makes
 * ACTIVE of INIT only, never of another state.
 */

/**
 * enum smcx_state - connection states, numbered as sock_diag shows them
 * @SMCX_ST_ACTIVE: data flows
 * @SMCX_ST_INIT: not connected yet
 * @SMCX_ST_CLOSED: over
 * @SMCX_ST_LISTEN: listening
 * @SMCX_ST_PEERCLOSEWAIT1: we closed or stopped writing first
 * @SMCX_ST_PEERCLOSEWAIT2: and the peer stopped writing
 * @SMCX_ST_APPCLOSEWAIT1: peer closed or stopped writing first
 * @SMCX_ST_APPCLOSEWAIT2: and we stopped writing
 * @SMCX_ST_APPFINCLOSEWAIT: peer closed after we did; our application has not
 * @SMCX_ST_PEERFINCLOSEWAIT: we closed; peer stopped writing, but has not closed
 * @SMCX_ST_PEERABORTWAIT: we abort
 * @SMCX_ST_PROCESSABORT: peer aborted; our application has not closed
 */
enum smcx_state {
	SMCX_ST_ACTIVE			= 1,
	SMCX_ST_INIT			= 2,
	SMCX_ST_CLOSED			= 7,
	SMCX_ST_LISTEN			= 10,
	SMCX_ST_PEERCLOSEWAIT1		= 20,
	SMCX_ST_PEERCLOSEWAIT2		= 21,
	SMCX_ST_APPCLOSEWAIT1		= 22,
	SMCX_ST_APPCLOSEWAIT2		= 23,
	SMCX_ST_APPFINCLOSEWAIT		= 24,
	SMCX_ST_PEERFINCLOSEWAIT	= 25,
	SMCX_ST_PEERABORTWAIT		= 26,
	SMCX_ST_PROCESSABORT		= 27,
};

/**
 * enum smcx_close_event - what happens to a connection
 * @SMCX_CLOSE_EV_APP_CLOSE: close(), or shutdown(RDWR), which does the same step
 * @SMCX_CLOSE_EV_APP_SHUT_WR: shutdown(WR)
 * @SMCX_CLOSE_EV_PEER_DONE: done-writing flag received
 * @SMCX_CLOSE_EV_PEER_CLOSED: closed flag received
 * @SMCX_CLOSE_EV_PEER_ABORT: abort flag received
 * @SMCX_CLOSE_EV_KILL: link group died, peer violated the protocol, device went away
 * @SMCX_CLOSE_EV_FLUSHED: our abort CDC was sent, or can never be sent
 * @SMCX_CLOSE_EV_MAX: number of events
 */
enum smcx_close_event {
	SMCX_CLOSE_EV_APP_CLOSE,
	SMCX_CLOSE_EV_APP_SHUT_WR,
	SMCX_CLOSE_EV_PEER_DONE,
	SMCX_CLOSE_EV_PEER_CLOSED,
	SMCX_CLOSE_EV_PEER_ABORT,
	SMCX_CLOSE_EV_KILL,
	SMCX_CLOSE_EV_FLUSHED,
	SMCX_CLOSE_EV_MAX
};

/**
 * struct smcx_close_ctx - what the table needs to know of the connection
 * @drained: nothing is left to send, or the time for it is up
 * @unread: received data was not read by the application
 * @done_sent: our CDCs carry done-writing
 * @close_sent: our CDCs carry closed or abort
 * @peer_closed: closed or abort was received
 * @app_closed: the application's descriptor is gone (not for shutdown)
 */
struct smcx_close_ctx {
	bool	drained;
	bool	unread;
	bool	done_sent;
	bool	close_sent;
	bool	peer_closed;
	bool	app_closed;
};

/* actions, to be performed in the order of the bits */
#define SMCX_CLOSE_ACT_DRAIN		0x0001	/* wait, then the same event again; nothing else set */
#define SMCX_CLOSE_ACT_SEND_DONE	0x0002	/* set done-writing for good, send a CDC */
#define SMCX_CLOSE_ACT_SEND_CLOSED	0x0004	/* set closed for good, send a CDC */
#define SMCX_CLOSE_ACT_SEND_ABORT	0x0008	/* set abort for good, send a CDC if a link is left */
#define SMCX_CLOSE_ACT_TCP_SHUT_WR	0x0010	/* shut the TCP connection down for writing */
#define SMCX_CLOSE_ACT_TCP_SHUT_RDWR	0x0020	/* shut it down both ways: we own TIME_WAIT */
#define SMCX_CLOSE_ACT_TCP_RESET	0x0040	/* reset the TCP connection */
#define SMCX_CLOSE_ACT_RCV_SHUTDOWN	0x0080	/* no more data will come: readers see EOF after the rest */
#define SMCX_CLOSE_ACT_SET_RESET	0x0100	/* socket error ECONNRESET */
#define SMCX_CLOSE_ACT_SET_ABORTED	0x0200	/* socket error ECONNABORTED */
#define SMCX_CLOSE_ACT_STOP_LISTEN	0x0400	/* stop the listener, drop queued children */
#define SMCX_CLOSE_ACT_WAKE		0x0800	/* wake readers, writers, pollers */
#define SMCX_CLOSE_ACT_RELEASE		0x1000	/* over and closed by the application: detach from the link group */

/**
 * struct smcx_close_result - answer of the table
 * @next: next state, enum smcx_state
 * @actions: SMCX_CLOSE_ACT_*
 */
struct smcx_close_result {
	u8	next;
	u16	actions;
};

/**
 * smcx_close_next() - the close state machine
 * @state: present state, enum smcx_state
 * @ev: what happened; flags of the peer only when they are new
 * @ctx: what the connection knows, as it was before @ev (app_closed: already
 *	set if @ev is the close() of the descriptor)
 *
 * An event that means nothing in @state leaves it alone, without actions.
 *
 * Context: Any.
 * Return: next state and actions.
 */
struct smcx_close_result smcx_close_next(u8 state, enum smcx_close_event ev,
					 const struct smcx_close_ctx *ctx);

/**
 * smcx_state_name() - name of a state for people
 * @state: enum smcx_state
 *
 * Context: Any.
 * Return: name as smcss prints it, "UNKNOWN" if no state. Never NULL.
 */
const char *smcx_state_name(u8 state);

#endif
