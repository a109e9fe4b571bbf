// SPDX-License-Identifier: GPL-2.0
/* What was dropped: see drop.h. */
#include "drop.h"
#include "netns.h"
#include "trace.h"

void smcx_drop_note(struct smcx_net *sn, enum smcx_drop why)
{
	smcx_stat_inc(sn, why == SMCX_DROP_BACKLOG ? SMCX_CNT_ACCEPT_DROP : SMCX_CNT_PROTO_ERR);
	trace_smcx_drop(why);
}
