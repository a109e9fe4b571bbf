// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Negotiation: server, client, check of the Confirm */

#include "negotiate.h"
#include "tap.h"

static struct smcx_clc_proposal prop;
static struct smcx_clc_accept acc;
static struct smcx_offer offer;
static struct smcx_agreed agreed;
static u32 reason;

static void eid_set(u8 *eid, const char *name)
{
	memset(eid, ' ', SMCX_EID_LEN);
	memcpy(eid, name, strlen(name));
}

/* Two hosts that can do everything. */
static void both(void)
{
	memset(&prop, 0, sizeof(prop));
	prop.version = 2;
	prop.typev1 = prop.typev2 = SMCX_CLC_SMC_R;
	prop.has_ip = prop.has_v2 = true;
	prop.v2.release = 1;
	prop.v2.max_conns = 255;
	prop.v2.max_links = 2;
	prop.v2.features = 0x0003;
	prop.v2.n_eids = 2;
	eid_set(prop.v2.eids[0], "FIRST");
	eid_set(prop.v2.eids[1], "SECOND");

	memset(&offer, 0, sizeof(offer));
	offer.v1_prefix_ok = true;
	offer.release = 1;
	offer.max_conns = 255;
	offer.max_links = 2;
	offer.features = 0x0005;
	offer.n_eids = 2;
	eid_set(offer.eids[0], "SECOND");
	eid_set(offer.eids[1], "OTHER");
}

static void accepts(u8 version)
{
	CHECK(smcx_negotiate_server(&prop, &offer, &agreed, &reason));
	CHECK_EQ(reason, SMCX_REASON_NONE);
	CHECK_EQ(agreed.version, version);
}

static void declines(u32 why)
{
	CHECK(!smcx_negotiate_server(&prop, &offer, &agreed, &reason));
	CHECK_EQ(reason, why);
}

static void server_v2(void)
{
	both();
	accepts(2);
	CHECK_EQ(agreed.release, 1);
	CHECK_EQ(agreed.max_conns, 255);
	CHECK_EQ(agreed.max_links, 2);
	CHECK_EQ(agreed.features, 1);
	CHECK_MEM(agreed.eid, "SECOND                          ", 32);
	/* the client's order decides */
	eid_set(offer.eids[1], "FIRST");
	accepts(2);
	CHECK_MEM(agreed.eid, "FIRST                           ", 32);
	/* what stands behind the last one is none */
	offer.n_eids = 1;
	prop.v2.n_eids = 1;
	accepts(1);
	prop.v2.n_eids = 2;
	accepts(2);
	offer.n_eids = 2;
	/* and all 32 bytes count */
	offer.eids[0][31] = offer.eids[1][31] = 'X';
	accepts(1);
}

static void server_limits(void)
{
	int mine, his;

	for (mine = 0; mine <= 255; mine++) {
		for (his = 0; his <= 255; his++) {
			both();
			offer.max_conns = (u8)mine;
			prop.v2.max_conns = (u8)his;
			if (mine < 16 || his < 16) {
				declines(SMCX_REASON_MAXCONNERR);
				continue;
			}
			accepts(2);
			CHECK_EQ(agreed.max_conns, mine < his ? mine : his);
		}
	}
	for (his = 0; his <= 255; his++) {
		both();
		prop.v2.max_links = (u8)his;
		if (!his) {
			declines(SMCX_REASON_MAXLINKERR);
			continue;
		}
		accepts(2);
		CHECK_EQ(agreed.max_links, his < 2 ? his : 2);
	}
	/* v2.0 on either side: limits are what they were before there were any */
	both();
	prop.v2.release = 0;
	prop.v2.max_conns = prop.v2.max_links = 0;
	accepts(2);
	CHECK_EQ(agreed.release, 0);
	CHECK_EQ(agreed.max_conns, 255);
	CHECK_EQ(agreed.max_links, 2);
	CHECK_EQ(agreed.features, 0);
	both();
	offer.release = 0;
	accepts(2);
	CHECK_EQ(agreed.release, 0);
	both();
	prop.v2.release = 15;
	accepts(2);
	CHECK_EQ(agreed.release, 1);
}

static void server_falls_to_v1(void)
{
	both();
	offer.no_v2 = SMCX_REASON_NOSMCRDEV;
	accepts(1);
	CHECK_EQ(agreed.release, 0);
	CHECK_EQ(agreed.max_conns, 255);
	CHECK_EQ(agreed.max_links, 2);
	both();
	prop.has_v2 = false;
	accepts(1);
	both();
	prop.v2.n_eids = 0;
	accepts(1);
	both();
	offer.n_eids = 0;
	accepts(1);
	both();
	prop.typev2 = SMCX_CLC_SMC_NONE;
	accepts(1);
	both();
	prop.version = 1;		/* whatever typev2 says */
	accepts(1);
	both();
	prop.typev1 = prop.typev2 = SMCX_CLC_SMC_BOTH;
	accepts(2);
	offer.no_v2 = SMCX_REASON_NOSMCRDEV;
	accepts(1);
	/* limits of v2.1 decline even where v1 could do */
	both();
	prop.v2.max_conns = 15;
	declines(SMCX_REASON_MAXCONNERR);
}

static void server_declines(void)
{
	both();
	prop.typev1 = prop.typev2 = SMCX_CLC_SMC_NONE;
	declines(SMCX_REASON_PEERNOSMC);
	both();
	prop.typev1 = SMCX_CLC_SMC_D;
	prop.typev2 = SMCX_CLC_SMC_NONE;
	declines(SMCX_REASON_NOSMCDDEV);
	prop.typev1 = SMCX_CLC_SMC_NONE;
	prop.typev2 = SMCX_CLC_SMC_D;
	declines(SMCX_REASON_NOSMCDDEV);

	/* version 1 alone */
	both();
	prop.typev2 = SMCX_CLC_SMC_NONE;
	offer.v1_prefix_ok = false;
	declines(SMCX_REASON_DIFFPREFIX);
	offer.no_v1 = SMCX_REASON_LOCAL_NO_PORT;
	declines(SMCX_REASON_LOCAL_NO_PORT);

	/* version 2 alone */
	both();
	prop.typev1 = SMCX_CLC_SMC_NONE;
	offer.no_v2 = SMCX_REASON_LOCAL_NO_GID;
	declines(SMCX_REASON_LOCAL_NO_GID);
	offer.no_v2 = 0;
	offer.n_eids = 0;
	declines(SMCX_REASON_NOUEID);
	prop.v2.n_eids = 0;
	declines(SMCX_REASON_NOUEID);
	prop.has_v2 = false;
	declines(SMCX_REASON_NOV2EXT);

	/* neither works: the reason of version 2, which would have been chosen */
	both();
	offer.no_v1 = SMCX_REASON_NOSMCRDEV;
	offer.n_eids = 0;
	declines(SMCX_REASON_NOUEID);
	both();
	offer.v1_prefix_ok = false;
	offer.n_eids = 0;
	declines(SMCX_REASON_NOUEID);
}

/* Proposals of Linux meet an offer of ours. */
static void server_golden(void)
{
	const u8 *msg;
	size_t len;

	both();
	eid_set(offer.eids[1], "SMCX-TEST");
	msg = golden_get("proposal_612", &len);
	CHECK_EQ(smcx_clc_decode_proposal(msg, len, &prop), 0);
	accepts(2);
	CHECK_EQ(agreed.release, 1);
	CHECK_MEM(agreed.eid, "SMCX-TEST                       ", 32);
	msg = golden_get("proposal_61", &len);
	CHECK_EQ(smcx_clc_decode_proposal(msg, len, &prop), 0);
	accepts(2);
	CHECK_EQ(agreed.release, 0);
	msg = golden_get("proposal_612_3eids", &len);
	CHECK_EQ(smcx_clc_decode_proposal(msg, len, &prop), 0);
	eid_set(offer.eids[1], "GOLD.B-2");
	accepts(2);
	CHECK_MEM(agreed.eid, "GOLD.B-2                        ", 32);
	offer.n_eids = 0;
	declines(SMCX_REASON_NOUEID);
}

static void accept_v2(bool first)
{
	memset(&acc, 0, sizeof(acc));
	acc.version = 2;
	acc.first_contact = first;
	eid_set(acc.eid, "OTHER");
	if (first) {
		acc.fce.release = 1;
		acc.fce.max_conns = 200;
		acc.fce.max_links = 1;
		acc.fce.features = 0x0006;
	}
}

static void takes(u8 version)
{
	CHECK(smcx_negotiate_client(&offer, &acc, &agreed, &reason));
	CHECK_EQ(reason, SMCX_REASON_NONE);
	CHECK_EQ(agreed.version, version);
}

static void refuses(u32 why)
{
	CHECK(!smcx_negotiate_client(&offer, &acc, &agreed, &reason));
	CHECK_EQ(reason, why);
}

static void client(void)
{
	both();
	accept_v2(true);
	takes(2);
	CHECK_EQ(agreed.release, 1);
	CHECK_EQ(agreed.max_conns, 200);
	CHECK_EQ(agreed.max_links, 1);
	CHECK_EQ(agreed.features, 4);
	CHECK_MEM(agreed.eid, "OTHER                           ", 32);
	accept_v2(false);
	takes(2);
	CHECK_EQ(agreed.max_conns, 255);
	acc.fce.release = 15;			/* no first contact, no extension */
	takes(2);
	CHECK_EQ(agreed.release, 0);
	acc.version = 1;
	acc.first_contact = true;
	takes(1);
	CHECK_EQ(agreed.max_links, 2);

	/* not offered */
	offer.no_v1 = SMCX_REASON_NOSMCRDEV;
	refuses(SMCX_REASON_MODEUNSUPP);
	accept_v2(true);
	offer.no_v2 = SMCX_REASON_NOSMCRDEV;
	refuses(SMCX_REASON_MODEUNSUPP);
	both();
	acc.version = 3;
	refuses(SMCX_REASON_MODEUNSUPP);
	accept_v2(true);
	acc.is_smcd = true;
	refuses(SMCX_REASON_MODEUNSUPP);
	accept_v2(true);
	eid_set(acc.eid, "FOREIGN");
	refuses(SMCX_REASON_NOUEID);
}

static void client_limits(void)
{
	int i;

	both();
	for (i = 0; i <= 255; i++) {
		accept_v2(true);
		offer.max_conns = 100;
		acc.fce.max_conns = (u8)i;
		if (i >= 16 && i <= 100)
			takes(2);
		else
			refuses(SMCX_REASON_MAXCONNERR);
		accept_v2(true);
		offer.max_conns = 255;
		acc.fce.max_links = (u8)i;
		if (i == 1 || i == 2)
			takes(2);
		else
			refuses(SMCX_REASON_MAXLINKERR);
	}
	for (i = 0; i <= 15; i++) {
		accept_v2(true);
		acc.fce.release = (u8)i;
		if (i <= 1)
			takes(2);
		else
			refuses(SMCX_REASON_RELEASEERR);
	}
	accept_v2(true);
	acc.fce.release = 0;
	acc.fce.max_conns = acc.fce.max_links = 0;
	takes(2);
	CHECK_EQ(agreed.max_conns, 255);
	CHECK_EQ(agreed.features, 0);
}

static void client_golden(void)
{
	static const char *const names[] = { "accept_612_first", "accept_612_next", "accept_61_first" };
	const u8 *msg;
	size_t len, i;

	both();
	eid_set(offer.eids[0], "SMCX-TEST");
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		msg = golden_get(names[i], &len);
		CHECK_EQ(smcx_clc_decode_accept(msg, len, &acc), 0);
		takes(2);
		CHECK_EQ(agreed.release, i == 0);
	}
}

static void confirms(bool first, u32 why)
{
	CHECK_EQ(smcx_negotiate_confirm(&agreed, first, &acc, &reason), !why);
	CHECK_EQ(reason, why);
}

static void confirm(void)
{
	const u8 *msg;
	size_t len;

	both();
	accepts(2);
	accept_v2(true);
	acc.is_confirm = true;
	acc.fce.max_conns = 255;
	acc.fce.max_links = 2;
	confirms(true, SMCX_REASON_NONE);
	confirms(false, SMCX_REASON_NONE);
	acc.fce.max_links = 1;
	confirms(true, SMCX_REASON_MAXLINKERR);
	acc.fce.max_conns = 254;
	confirms(true, SMCX_REASON_MAXCONNERR);
	acc.fce.release = 0;
	confirms(true, SMCX_REASON_RELEASEERR);
	agreed.release = 0;		/* then the limits are not looked at */
	confirms(true, SMCX_REASON_NONE);
	acc.first_contact = false;
	confirms(true, SMCX_REASON_MODEUNSUPP);
	confirms(false, SMCX_REASON_NONE);
	acc.version = 1;
	confirms(false, SMCX_REASON_VERSMISMAT);
	agreed.version = 1;
	confirms(false, SMCX_REASON_NONE);
	confirms(true, SMCX_REASON_NONE);	/* Linux before 5.10 has no flag in a Confirm */
	acc.first_contact = true;
	confirms(true, SMCX_REASON_NONE);
	confirms(false, SMCX_REASON_NONE);
	acc.is_smcd = true;
	confirms(true, SMCX_REASON_VERSMISMAT);

	/* a Linux client against what a server of ours would have agreed with it */
	server_golden();
	msg = golden_get("proposal_612", &len);
	smcx_clc_decode_proposal(msg, len, &prop);
	offer.n_eids = 1;
	eid_set(offer.eids[0], "SMCX-TEST");
	accepts(2);
	msg = golden_get("confirm_612_first", &len);
	CHECK_EQ(smcx_clc_decode_accept(msg, len, &acc), 0);
	confirms(true, SMCX_REASON_NONE);
	msg = golden_get("confirm_612_next", &len);
	CHECK_EQ(smcx_clc_decode_accept(msg, len, &acc), 0);
	confirms(false, SMCX_REASON_NONE);
	msg = golden_get("confirm_61_first", &len);
	CHECK_EQ(smcx_clc_decode_accept(msg, len, &acc), 0);
	confirms(true, SMCX_REASON_RELEASEERR);
}

/* Random hosts: if a server of ours agrees, a client of ours takes it, and both mean the same. */
static void both_ends_agree(void)
{
	struct smcx_offer mine, his;
	struct smcx_agreed sa;
	int i, ok = 0;

	for (i = 0; i < 100000; i++) {
		both();
		his = offer;
		his.release = (u8)tap_below(2);
		his.max_conns = (u8)(16 + tap_below(240));
		his.max_links = (u8)(1 + tap_below(2));
		his.features = (u16)tap_rand();
		his.no_v1 = tap_below(2);
		his.no_v2 = tap_below(2);
		his.n_eids = (u8)tap_below(5);
		memcpy(his.eids[2], "X", 1);
		mine = his;
		mine.features = (u16)tap_rand();
		mine.release = (u8)tap_below(2);
		mine.max_conns = (u8)(16 + tap_below(240));
		mine.max_links = (u8)(1 + tap_below(2));
		mine.no_v1 = tap_below(2);
		mine.no_v2 = tap_below(2);
		mine.v1_prefix_ok = tap_below(2);

		prop.typev1 = his.no_v1 ? SMCX_CLC_SMC_NONE : SMCX_CLC_SMC_R;
		prop.typev2 = his.no_v2 ? SMCX_CLC_SMC_NONE : SMCX_CLC_SMC_R;
		prop.has_v2 = !his.no_v2;
		prop.v2.release = his.release;
		prop.v2.max_conns = his.max_conns;
		prop.v2.max_links = his.max_links;
		prop.v2.features = his.features;
		prop.v2.n_eids = his.n_eids;
		memcpy(prop.v2.eids, his.eids, sizeof(his.eids));
		if (!smcx_negotiate_server(&prop, &mine, &sa, &reason)) {
			CHECK(reason != SMCX_REASON_NONE);
			continue;
		}
		ok++;
		memset(&acc, 0, sizeof(acc));
		acc.version = sa.version;
		acc.first_contact = true;
		memcpy(acc.eid, sa.eid, SMCX_EID_LEN);
		acc.fce.release = sa.release;
		acc.fce.max_conns = sa.max_conns;
		acc.fce.max_links = sa.max_links;
		acc.fce.features = sa.features;
		offer = his;
		takes(sa.version);
		CHECK_MEM(&agreed, &sa, sizeof(sa));
		agreed = sa;
		confirms(true, SMCX_REASON_NONE);
	}
	CHECK(ok > 1000);
}

const struct tap_case negotiate_cases[] = {
	{ "negotiate: server, version 2 and the choice of EID", server_v2 },
	{ "negotiate: server, release and limits", server_limits },
	{ "negotiate: server goes down to version 1", server_falls_to_v1 },
	{ "negotiate: server declines, and says why", server_declines },
	{ "negotiate: server, Proposals of 6.12 and 6.1", server_golden },
	{ "negotiate: client", client },
	{ "negotiate: client, release and limits", client_limits },
	{ "negotiate: client, Accepts of 6.12 and 6.1", client_golden },
	{ "negotiate: server checks the Confirm", confirm },
	{ "negotiate: random hosts mean the same", both_ends_agree },
	{ 0 }
};
