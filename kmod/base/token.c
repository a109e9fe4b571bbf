// SPDX-License-Identifier: GPL-2.0
/* Tokens of a server: see token.h. */
#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/tcp.h>

#include "netns.h"
#include "token.h"

void smcx_token_net_init(struct smcx_net *sn)
{
	struct smcx_secrets *s = &sn->secrets;

	memset(s, 0, sizeof(*s));
	spin_lock_init(&s->lock);
}

void smcx_token_net_exit(struct smcx_net *sn)
{
	kfree(sn->secrets.marks);
	sn->secrets.marks = NULL;
}

/* jiffies may run over; a namespace without tokens for 2 * life has no valid one either way */
static void smcx_token_rotate(struct smcx_net *sn)
{
	struct smcx_secrets *s = &sn->secrets;
	unsigned long life = (unsigned long)READ_ONCE(sn->sysctl.onertt_token_life) * HZ;
	unsigned long age = jiffies - s->born;

	lockdep_assert_held(&s->lock);
	if (s->born && age < life)
		return;
	s->has_old = s->born && age < 2 * life;
	s->key[1] = s->key[0];
	get_random_bytes(&s->key[0], sizeof(s->key[0]));
	s->born = jiffies ? : 1;
}

static u64 smcx_token_hash(const struct smcx_flow *flow, const siphash_key_t *key)
{
	return siphash(flow, sizeof(*flow), key) ? : 1;
}

u64 smcx_token_make(struct smcx_net *sn, const struct smcx_flow *flow)
{
	struct smcx_secrets *s = &sn->secrets;
	u64 token;

	spin_lock_bh(&s->lock);
	smcx_token_rotate(sn);
	token = smcx_token_hash(flow, &s->key[0]);
	spin_unlock_bh(&s->lock);
	return token;
}

bool smcx_token_check(struct smcx_net *sn, const struct smcx_flow *flow, u64 token)
{
	struct smcx_secrets *s = &sn->secrets;
	bool ok;

	spin_lock_bh(&s->lock);
	smcx_token_rotate(sn);
	ok = token == smcx_token_hash(flow, &s->key[0]) ||
	     (s->has_old && token == smcx_token_hash(flow, &s->key[1]));
	spin_unlock_bh(&s->lock);
	return ok;
}

bool smcx_token_may_invite(const struct smcx_net *sn)
{
	int tfo = READ_ONCE(sn->net->ipv4.sysctl_tcp_fastopen);

	return READ_ONCE(sn->sysctl.onertt) & SMCX_ONERTT_SERVER &&
	       tfo & TFO_SERVER_ENABLE && !(tfo & TFO_SERVER_COOKIE_NOT_REQD);
}

static u32 *smcx_token_marks(struct smcx_secrets *s)
{
	lockdep_assert_held(&s->lock);
	if (!s->marks) {
		get_random_bytes(&s->mark_key, sizeof(s->mark_key));
		s->marks = kcalloc(SMCX_TOKEN_MARKS, sizeof(*s->marks), GFP_ATOMIC | __GFP_NOWARN);
	}
	return s->marks;
}

bool smcx_token_is_replay(struct smcx_net *sn, const struct smcx_flow *flow, __be16 sport, u32 isn)
{
	struct smcx_secrets *s = &sn->secrets;
	u32 tail[2] = { (__force u32)sport, isn };
	bool replay = false;
	u32 *marks;
	u64 h;

	spin_lock_bh(&s->lock);
	marks = smcx_token_marks(s);
	if (marks) {
		h = siphash_3u64(siphash(flow, sizeof(*flow), &s->mark_key), tail[0], tail[1],
				 &s->mark_key);
		replay = marks[h % SMCX_TOKEN_MARKS] == h >> 32;
		marks[h % SMCX_TOKEN_MARKS] = h >> 32;
	}
	spin_unlock_bh(&s->lock);
	return replay;
}

static atomic_t *smcx_token_lost_of(struct smcx_net *sn, const u8 peer_id[8])
{
	return &sn->secrets.lost[jhash(peer_id, 8, 0) % SMCX_TOKEN_LOST_SLOTS];
}

void smcx_token_lost(struct smcx_net *sn, const u8 peer_id[8], int n)
{
	atomic_add(n, smcx_token_lost_of(sn, peer_id));
}

bool smcx_token_is_crowded(struct smcx_net *sn, const u8 peer_id[8])
{
	return atomic_read(smcx_token_lost_of(sn, peer_id)) >= SMCX_TOKEN_LOST_MAX;
}
