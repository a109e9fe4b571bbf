// SPDX-License-Identifier: GPL-2.0 OR MIT
/* CDC messages */

#include "cdc.h"
#include "tap.h"

static void golden_cdc(void)
{
	static const struct {
		const char *name;
		u16 seqno, prod_wrap, cons_wrap;
		u32 token, prod, cons;
		u8 prod_flags, state_flags;
	} want[] = {
		{ "cdc_data", 1, 0, 0, 1, 100, 0, 0, 0 },
		{ "cdc_reply", 1, 0, 0, 1, 100, 100, 0, 0 },
		{ "cdc_closed", 2, 0, 0, 1, 100, 100, 0, SMCX_CDC_STATE_CLOSED },
		{ "cdc_done", 2, 0, 0, 3, 1000, 0, 0, SMCX_CDC_STATE_DONE_WRITING },
		{ "cdc_done_closed", 3, 0, 0, 3, 50, 1000, 0, SMCX_CDC_STATE_DONE_WRITING | SMCX_CDC_STATE_CLOSED },
		{ "cdc_abort", 1, 0, 0, 4, 0, 0, 0, SMCX_CDC_STATE_ABORT },
		{ "cdc_urgent", 1, 0, 0, 5, 4, 0, SMCX_CDC_PROD_URG_PENDING | SMCX_CDC_PROD_URG_PRESENT, 0 },
		{ "cdc_blocked", 3, 3, 0, 6, 0, 0, SMCX_CDC_PROD_BLOCKED, 0 },
		{ "cdc_blocked_closed", 33, 16, 16, 6, 0, 0, SMCX_CDC_PROD_BLOCKED, SMCX_CDC_STATE_CLOSED },
	};
	struct smcx_cdc_msg m;
	u8 buf[SMCX_CDC_LEN];
	const u8 *msg;
	size_t i, len;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		msg = golden_get(want[i].name, &len);
		CHECK_EQ(len, SMCX_CDC_LEN);
		CHECK_EQ(smcx_cdc_decode(msg, len, &m), 0);
		CHECK_EQ(m.seqno, want[i].seqno);
		CHECK_EQ(m.token, want[i].token);
		CHECK_EQ(m.prod.wrap, want[i].prod_wrap);
		CHECK_EQ(m.prod.off, want[i].prod);
		CHECK_EQ(m.cons.wrap, want[i].cons_wrap);
		CHECK_EQ(m.cons.off, want[i].cons);
		CHECK_EQ(m.prod_flags, want[i].prod_flags);
		CHECK_EQ(m.state_flags, want[i].state_flags);
		smcx_cdc_encode(&m, buf);
		CHECK_MEM(buf, msg, len);
	}
}

static void roundtrip(void)
{
	struct smcx_cdc_msg m, back;
	u8 buf[SMCX_CDC_LEN], again[SMCX_CDC_LEN], *copy;
	size_t n;
	int i;

	memset(&m, 0, sizeof(m));
	for (i = 0; i < 10000; i++) {
		m.seqno = (u16)tap_rand();
		m.token = tap_rand();
		m.prod.off = tap_rand();
		m.prod.wrap = (u16)tap_rand();
		m.cons.off = tap_rand();
		m.cons.wrap = (u16)tap_rand();
		m.prod_flags = (u8)tap_rand();
		m.state_flags = (u8)tap_rand();
		smcx_cdc_encode(&m, buf);
		CHECK_EQ(smcx_cdc_decode(buf, SMCX_CDC_LEN, &back), 0);
		CHECK(back.seqno == m.seqno && back.token == m.token);
		CHECK(back.prod.off == m.prod.off && back.prod.wrap == m.prod.wrap);
		CHECK(back.cons.off == m.cons.off && back.cons.wrap == m.cons.wrap);
		CHECK(back.prod_flags == m.prod_flags && back.state_flags == m.state_flags);
		smcx_cdc_encode(&back, again);
		CHECK_MEM(again, buf, SMCX_CDC_LEN);
	}
	for (n = 0; n <= SMCX_CDC_LEN; n++) {
		copy = tap_exact(buf, n);
		CHECK_EQ(smcx_cdc_decode(copy, n, &back), n < SMCX_CDC_LEN_MIN ? -EPROTO : 0);
		free(copy);
	}
	buf[1] = 43;
	CHECK_EQ(smcx_cdc_decode(buf, SMCX_CDC_LEN, &back), -EPROTO);
	buf[1] = 44;
	buf[0] = 0x26;
	CHECK_EQ(smcx_cdc_decode(buf, SMCX_CDC_LEN, &back), -EPROTO);
}

static void sequence(void)
{
	u32 i;

	CHECK(!smcx_cdc_seq_is_old(0, 1));
	CHECK(!smcx_cdc_seq_is_old(7, 7));
	CHECK(smcx_cdc_seq_is_old(8, 7));
	CHECK(!smcx_cdc_seq_is_old(65535, 0));
	CHECK(smcx_cdc_seq_is_old(0, 65535));
	for (i = 0; i < 65536; i++) {
		CHECK(!smcx_cdc_seq_is_old((u16)i, (u16)(i + 32767)));
		CHECK(smcx_cdc_seq_is_old((u16)(i + 32767), (u16)i));
	}
}

static void data_behind(void)
{
	size_t len;

	for (len = 0; len <= SMCX_CDC_LEN; len++)
		CHECK_EQ(smcx_cdc_data_len(len), 0);
	CHECK_EQ(smcx_cdc_data_len(SMCX_CDC_LEN + 1), 1);
	CHECK_EQ(smcx_cdc_data_len(2048), SMCX_CDC_DATA_MAX);
	CHECK_EQ(smcx_cdc_data_len(2049), -EPROTO);
	CHECK_EQ(smcx_cdc_data_len((size_t)-1), -EPROTO);
}

const struct tap_case cdc_cases[] = {
	{ "cdc: messages of 6.12", golden_cdc },
	{ "cdc: there and back, cut short", roundtrip },
	{ "cdc: sequence numbers wrap", sequence },
	{ "cdc: data behind a message", data_behind },
	{ 0 }
};
