// SPDX-License-Identifier: GPL-2.0
/* Attacks of a client by numbers: what do others notice of them? */
#define _GNU_SOURCE
#include "attack.h"

#include <stdio.h>
#include <stdlib.h>

#define FLOOD 300

/* Each names itself as somebody else, and none has a queue pair: few groups of one address may be under way at a time. */
static bool flood(struct target *t, bool confirm)
{
	struct evil *many = calloc(FLOOD, sizeof(*many));
	unsigned int accepts = 0;

	for (int i = 0; i < FLOOD; i++) {
		evil_init(&many[i], &t->dev, t->addr, t->port);
		many[i].no_qp = true;
		WANT(evil_offer(&many[i]));
	}
	for (int i = 0; i < FLOOD; i++) {
		if (!evil_accepted(&many[i].conn[0]))
			continue;
		accepts++;
		if (confirm)
			evil_say_confirm(&many[i].conn[0]);
	}
	printf("# %u of %u accepted\n", accepts, FLOOD);
	WANT(accepts && accepts < FLOOD / 4);
	for (int i = 0; i < FLOOD; i++)
		evil_close(&many[i]);
	free(many);
	return true;
}

static bool flood_accepts(struct target *t)
{
	return flood(t, false);
}

static bool flood_confirms(struct target *t)
{
	return flood(t, true);
}

/* ---- groups that hang ---- */

#define GROUPS 3
#define OFFERS 200
#define STUCK_MS 2000	/* far less than a registration may take */

/* Somebody else's first contact, from an address that has no groups yet; Return: -1 if there was none */
static int handshake_ms(struct target *t)
{
	struct evil *e = evil_begin(t);
	uint64_t begun = now_ms();

	e->from = t->other;
	return evil_connect(e) ? (int)(now_ms() - begun) : -1;
}

/*
 * Hundreds of handshakes that need a region, in groups that no message gets through to: a registration stands behind the messages,
 * and waits as long as they do, or fails (soft-RoCE). Somebody else's handshake shall not notice.
 */
static bool stuck_groups(struct target *t)
{
	struct evil *many = calloc(GROUPS, sizeof(*many));
	int alone, took;

	alone = handshake_ms(t);
	WANT(alone >= 0);
	for (int i = 0; i < GROUPS; i++) {
		evil_init(&many[i], &t->dev, t->addr, t->port);
		many[i].recvs = 1;
		many[i].no_repost = true;
		WANT(evil_serve(&many[i], "e") && evil_put(&many[i].conn[0], "e", 1));
		for (int j = 0; j < OFFERS; j++) {
			WANT(evil_offer(&many[i]));
			/* something from us, and the links look alive */
			for (int k = 0; k <= i && j % 32 == 0; k++)
				evil_tell(&many[k].conn[0], 0, 0);
		}
	}
	took = handshake_ms(t);
	printf("# a handshake in %d ms, alone in %d\n", took, alone);
	for (int i = 0; i < GROUPS; i++)
		evil_close(&many[i]);
	free(many);
	WANT(took >= 0 && took < alone + STUCK_MS);
	return true;
}

const struct attack crowd_attacks[] = {
	{ "flood-accepts", flood_accepts },
	{ "flood-confirms", flood_confirms },
	{ "stuck-groups", stuck_groups },
	{}
};
