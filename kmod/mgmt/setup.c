// SPDX-License-Identifier: GPL-2.0
/* Set-up times in generic netlink SMCX, see linux/smcx.h. */
#include <linux/smcx.h>

#include "../base/netns.h"
#include "priv.h"

static const char *smcx_own_phase_name(int phase)
{
	static const char *const names[SMCX_PHASE_MAX] = {
		[SMCX_PHASE_SYN]	= "SYN",
		[SMCX_PHASE_ACCEPT]	= "ACCEPT",
		[SMCX_PHASE_CONFIRM]	= "CONFIRM",
		[SMCX_PHASE_FIRST_BYTE]	= "FIRST_BYTE",
	};

	return names[phase];
}

static int smcx_own_fill_setup(struct sk_buff *skb, const struct smcx_stats *s, int role, int phase)
{
	struct nlattr *nest;

	if (nla_put_u8(skb, SMCX_SETUP_IS_SERVER, role) ||
	    nla_put_string(skb, SMCX_SETUP_PHASE, smcx_own_phase_name(phase)) ||
	    nla_put_u64_64bit(skb, SMCX_SETUP_SUM_US, s->setup_us[role][phase], SMCX_SETUP_PAD))
		return -EMSGSIZE;
	nest = nla_nest_start(skb, SMCX_SETUP_CLASSES);
	if (!nest || smcx_put_u64s(skb, 1, s->setup[role][phase], SMCX_PHASE_CLASSES, 0))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int smcx_own_dump_one_setup(struct smcx_dump *d, const struct smcx_stats *s, int role,
			       int phase)
{
	struct nlattr *inner;
	void *msg;

	if (smcx_dump_is_sent(d))
		return 0;
	msg = smcx_dump_begin(d, SMCX_ATTR_SETUP, &inner);
	if (!msg)
		return -EMSGSIZE;
	return smcx_dump_end(d, msg, inner, smcx_own_fill_setup(d->skb, s, role, phase));
}

int smcx_own_dump_setup(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct smcx_dump d = { .skb = skb, .cb = cb };
	struct smcx_stats *sum;
	int i, rc = 0;

	sum = kmalloc(sizeof(*sum), GFP_KERNEL);
	if (!sum)
		return -ENOMEM;
	smcx_stats_sum(smcx_net(smcx_dump_net(&d)), sum);
	for (i = 0; !rc && i < 2 * SMCX_PHASE_MAX; i++)
		rc = smcx_own_dump_one_setup(&d, sum, i / SMCX_PHASE_MAX, i % SMCX_PHASE_MAX);
	kfree(sum);
	return skb->len;
}
