// SPDX-License-Identifier: GPL-2.0
/*
 * Copies of TCP's connection ops with functions of ours. TCP has three tables (IPv4, IPv6,
 * v4-mapped), none of them exported; each is copied when a socket first shows it. They stay
 * until unload: a packet under way may still be inside.
 */
#include <linux/mutex.h>
#include <net/inet_connection_sock.h>

#include "sock_priv.h"

struct smcx_af_ops {
	const struct inet_connection_sock_af_ops *orig;
	smcx_af_ops_patch *patch;
	struct inet_connection_sock_af_ops copy;
};

static struct smcx_af_ops smcx_af_ops[8];
static DEFINE_MUTEX(smcx_af_ops_lock);

/* A copy's address, before anybody looks for an exact match. */
static bool smcx_af_ops_is_copy(const struct inet_connection_sock_af_ops *ops)
{
	return (const void *)ops >= (const void *)&smcx_af_ops[0] &&
	       (const void *)ops < (const void *)(&smcx_af_ops[0] + ARRAY_SIZE(smcx_af_ops));
}

const struct inet_connection_sock_af_ops *
smcx_af_ops_orig(const struct inet_connection_sock_af_ops *ops)
{
	return smcx_af_ops_is_copy(ops) ? container_of(ops, struct smcx_af_ops, copy)->orig : ops;
}

const struct inet_connection_sock_af_ops *
smcx_af_ops_copy(const struct inet_connection_sock_af_ops *ops, smcx_af_ops_patch *patch)
{
	struct smcx_af_ops *found = NULL;
	int i;

	ops = smcx_af_ops_orig(ops);
	mutex_lock(&smcx_af_ops_lock);
	for (i = 0; i < ARRAY_SIZE(smcx_af_ops) && !found; i++) {
		struct smcx_af_ops *slot = &smcx_af_ops[i];

		if (slot->orig == ops && slot->patch == patch)
			found = slot;
		if (slot->orig)
			continue;
		slot->copy = *ops;
		patch(&slot->copy);
		slot->patch = patch;
		slot->orig = ops;
		found = slot;
	}
	mutex_unlock(&smcx_af_ops_lock);
	return found ? &found->copy : NULL;
}

void smcx_af_ops_restore(struct sock *sk)
{
	struct inet_connection_sock *icsk = inet_csk(sk);

	/* a v4-mapped connect has put a table of its own in place: only what is ours goes */
	if (smcx_af_ops_is_copy(icsk->icsk_af_ops))
		WRITE_ONCE(icsk->icsk_af_ops, smcx_af_ops_orig(icsk->icsk_af_ops));
}
