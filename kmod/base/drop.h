/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_BASE_DROP_H
#define SMCX_BASE_DROP_H

struct smcx_net;

/**
 * enum smcx_drop - what was dropped, and why; shown by the trace point smcx_drop
 * @SMCX_DROP_CLC: CLC message that breaks the protocol (chapter 2); the connection fails
 * @SMCX_DROP_LLC: LLC message that cannot be read, or of another version
 * @SMCX_DROP_CDC: CDC message that cannot be read
 * @SMCX_DROP_CURSOR: CDC message with impossible cursors; the connection fails
 * @SMCX_DROP_BACKLOG: connection that found the accept queue full
 */
enum smcx_drop {
	SMCX_DROP_CLC,
	SMCX_DROP_LLC,
	SMCX_DROP_CDC,
	SMCX_DROP_CURSOR,
	SMCX_DROP_BACKLOG,
};

/**
 * smcx_drop_note() - count and trace
 * @sn: namespace
 * @why: what and why
 * Context: any.
 */
void smcx_drop_note(struct smcx_net *sn, enum smcx_drop why);

#endif
