// SPDX-License-Identifier: GPL-2.0
/* See path.h. */
#define _GNU_SOURCE
#include "path.h"

struct e_path ep;

/** ep_learn() - a learnt server, the middle box in between, no rule yet */
void ep_learn(void)
{
	ep.port = e_port();
	ep.ls = e_learn(ep.port);
	ep.box = mb_open(E_DEV, ep.port);
}

/** ep_begin() - the same, both machines may do everything */
void ep_begin(void)
{
	e_begin();
	ep_learn();
}

/** ep_one_on() - one connection of the application: whole, and the only one that the server gets */
void ep_one_on(int fd, struct ep_result *r)
{
	int afd;

	r->ms = e_dial(fd, ep.port);
	afd = e_accept(ep.ls, 8000);
	REQUIRE(afd >= 0);
	e_exchange(fd, afd, 30000);
	r->carrier = e_carrier(fd);
	EQ(e_agent_carrier(afd), r->carrier);
	e_finish(fd, afd);
	EQ(e_accept(ep.ls, 100), -1);
	e_view(ep.box, &r->v);
	st_note("%s after %d ms, %d SYNs, %d bytes in the first, %sacked", proof_name(r->carrier),
		r->ms, r->v.syns, r->v.syn_data, r->v.acked ? "" : "not ");
}

void ep_one(struct ep_result *r)
{
	ep_one_on(e_socket(true), r);
}

/** ep_done() - end of the subtest; shows the packets if it failed */
void ep_done(void)
{
	const struct wire_pkt *p;
	int n;

	if (st_failed()) {
		p = mb_log(ep.box, &n);
		wire_show(p, n);
	}
	e_agent_close(ep.ls);
	mb_close(ep.box);
}

/** ep_is_early() - SMC in one round trip */
void ep_is_early(const struct ep_result *r)
{
	EQ(r->carrier, CARRIER_SMC);
	EXPECT(r->v.syn_data > 80);
	EXPECT(r->v.acked);
	EQ(r->v.syns, 1);
	EQ(r->v.proposals, 0);
	EXPECT(r->ms < st_ms(800));
}

/** ep_is_classic() - SMC in two: a SYN without data, the Proposal behind it */
void ep_is_classic(const struct ep_result *r)
{
	EQ(r->carrier, CARRIER_SMC);
	EQ(r->v.syn_data, 0);
	EQ(r->v.syns, 1);
	EQ(r->v.proposals, 1);
	EXPECT(r->ms < st_ms(800));
}

/** ep_is_refused() - asked, but the server did not take it: two round trips, and a new token for the next */
void ep_is_refused(const struct ep_result *r)
{
	EQ(r->carrier, CARRIER_SMC);
	EXPECT(r->v.syn_data > 80);
	EXPECT(!r->v.acked);
	EXPECT(r->v.synack_smc);
	EQ(r->v.syns, 1);
	EQ(r->v.proposals, 1);
	EXPECT(r->ms < st_ms(800));
}

/** ep_is_tcp() - TCP at once, and nothing of a Proposal but what may have been in the SYN */
void ep_is_tcp(const struct ep_result *r)
{
	EQ(r->carrier, CARRIER_TCP);
	EQ(r->v.syns, 1);
	EQ(r->v.proposals, 0);
	EQ(r->v.rst_out, 0);
	EXPECT(!r->v.acked);
	EXPECT(r->ms < st_ms(800));
}

/** ep_again() - nothing is in the way any more: one round trip */
void ep_again(void)
{
	struct ep_result r;

	mb_clear(ep.box);
	ep_one(&r);
	ep_is_early(&r);
}
