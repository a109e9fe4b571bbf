// SPDX-License-Identifier: GPL-2.0 OR MIT
/* EIDs, element sizes, reasons, the big-endian helpers */

#include <linux/smcx.h>

#include "eid.h"
#include "reason.h"
#include "rmbe.h"
#include "tap.h"
#include "wire.h"

static void eid(void)
{
	u8 e[SMCX_EID_LEN], n[SMCX_EID_LEN];
	int c, i;

#define NORM(text) smcx_eid_normalise(text, sizeof(text), n)
	CHECK_EQ(NORM("SMCX.DEFAULT"), 0);
	CHECK_MEM(n, "SMCX.DEFAULT                    ", 32);
	CHECK(smcx_eid_is_valid(n));
	CHECK_EQ(NORM("lower-Case.9"), 0);
	CHECK_MEM(n, "LOWER-CASE.9                    ", 32);
	CHECK_EQ(NORM("NEWLINE\n"), 0);
	CHECK_EQ(NORM("BLANKS   \n\n "), 0);
	CHECK_EQ(NORM("0"), 0);
	CHECK_EQ(NORM("A2345678901234567890123456789012"), 0);
	CHECK_EQ(NORM("A23456789012345678901234567890123"), -EINVAL);
	CHECK_EQ(NORM("A2345678901234567890123456789012    "), 0);
	CHECK_EQ(smcx_eid_normalise("ABCDEF", 3, n), 0);
	CHECK_MEM(n, "ABC                             ", 32);
	CHECK_EQ(NORM(""), -EINVAL);
	CHECK_EQ(NORM("   "), -EINVAL);
	CHECK_EQ(NORM(" LEADING"), -EINVAL);
	CHECK_EQ(NORM(".DOT"), -EINVAL);
	CHECK_EQ(NORM("-DASH"), -EINVAL);
	CHECK_EQ(NORM("IN BETWEEN"), -EINVAL);
	CHECK_EQ(NORM("UNDER_SCORE"), -EINVAL);
	CHECK_EQ(NORM("BRACE{"), -EINVAL);
	CHECK_EQ(smcx_eid_normalise("", 0, n), -EINVAL);
	/* each character in first, middle, and last place */
	for (c = 0; c < 256; c++) {
		bool alnum = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
		bool more = alnum || c == '.' || c == '-';

		memset(e, 'A', sizeof(e));
		e[0] = (u8)c;
		CHECK_EQ(smcx_eid_is_valid(e), alnum);
		e[0] = 'A';
		e[16] = (u8)c;
		CHECK_EQ(smcx_eid_is_valid(e), more);
		e[16] = 'A';
		e[31] = (u8)c;
		CHECK_EQ(smcx_eid_is_valid(e), more || c == ' ');
	}
	memset(e, ' ', sizeof(e));
	CHECK(!smcx_eid_is_valid(e));
	for (i = 0; i < 32; i++) {
		e[i] = 'Z';
		CHECK(smcx_eid_is_valid(e));
	}
}

static void rmbe(void)
{
	u32 wish;
	int code, max;

	for (code = 0; code <= 15; code++) {
		CHECK_EQ(smcx_rmbe_size((u8)code), 16384ull << code);
		CHECK_EQ(smcx_rmbe_size((u8)(0xf0 | code)), 16384ull << code);
		for (max = 0; max <= 16; max++) {
			int cap = max > 15 ? 15 : max;

			CHECK_EQ(smcx_rmbe_code(16384u << code, (u8)max), code < cap ? code : cap);
			CHECK_EQ(smcx_rmbe_code((16384u << code) + 1, (u8)max), code + 1 < cap ? code + 1 : cap);
		}
	}
	/* the formula of protocol.rst 3.4 */
	for (wish = 0; wish < 4000000; wish += 997) {
		u32 q = wish ? (wish - 1) / 16384 : 0;
		int want = 0;

		while (q) {
			want++;
			q >>= 1;
		}
		CHECK_EQ(smcx_rmbe_code(wish, 15), want);
	}
	CHECK_EQ(smcx_rmbe_code(0xffffffff, 15), 15);
	CHECK_EQ(smcx_rmbe_base(0x1000, 1, 0), 0x1000);
	CHECK_EQ(smcx_rmbe_base(0x1000, 3, 1), 0x1000 + 2 * 32768);
	CHECK_EQ(smcx_rmbe_base(0, 255, 15), 254ull << 29);
}

static void reasons(void)
{
	static const u32 wire[] = {
		0x01010000, 0x02010000, 0x02020000, 0x03000000, 0x03010000, 0x03020000, 0x03030000, 0x03030001,
		0x03030002, 0x03030003, 0x03030004, 0x03030005, 0x03030006, 0x03030007, 0x03030008, 0x03030009,
		0x0303000A, 0x0303000B, 0x03040000, 0x03050000, 0x03060000, 0x03070000, 0x03080000, 0x03090000,
		0x030A0000, 0x030B0000, 0x030C0000, 0x030D0000, 0x030E0000, 0x030F0000, 0x04000000, 0x05000000,
		0x09990000, 0x09990001, 0x09990002, 0x09990003,
	};
	u32 r, other;
	bool known;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wire); i++) {
		CHECK(strcmp(smcx_reason_name(wire[i]), "UNKNOWN"));
		CHECK_EQ(smcx_reason_to_wire(wire[i]), wire[i]);
		CHECK(!smcx_reason_is_local(wire[i]));
	}
	/* local reasons: known, told apart, and never on the wire */
	for (r = SMCX_REASON_LOCAL_BASE + 1; r <= SMCX_REASON_LOCAL_NO_PATH; r++) {
		CHECK(smcx_reason_is_local(r));
		CHECK(strcmp(smcx_reason_name(r), "UNKNOWN"));
		CHECK(!smcx_reason_is_local(smcx_reason_to_wire(r)));
		CHECK(strcmp(smcx_reason_name(smcx_reason_to_wire(r)), "UNKNOWN"));
		for (other = SMCX_REASON_LOCAL_BASE + 1; other < r; other++)
			CHECK(strcmp(smcx_reason_name(r), smcx_reason_name(other)));
		for (i = 0; i < ARRAY_SIZE(wire); i++)
			CHECK(strcmp(smcx_reason_name(r), smcx_reason_name(wire[i])));
	}
	CHECK(!strcmp(smcx_reason_name(0), "NONE"));
	CHECK(!strcmp(smcx_reason_name(SMCX_REASON_NO_SMC_OPTION), "PEERNOSMC"));
	CHECK(!strcmp(smcx_reason_name(0x12345678), "UNKNOWN"));
	for (i = 0, known = true; known; i++)
		CHECK(!strcmp(smcx_reason_name(smcx_reason_at(i, &known)), "NONE") == (!i || !known));
	CHECK_EQ(i, ARRAY_SIZE(wire) + SMCX_REASON_LOCAL_NO_PATH - SMCX_REASON_LOCAL_BASE + 2);
	CHECK_EQ(smcx_reason_to_wire(0x12345678), 0x12345678);
	CHECK_EQ(smcx_reason_to_wire(SMCX_REASON_LOCAL_NO_PATH + 1), SMCX_REASON_INTERR);
	CHECK_EQ(IPPROTO_SMC, 256);
}

static void wire_helpers(void)
{
	u8 p[10] = { 0 };

	smcx_put64(p + 1, 0x0123456789abcdef);
	CHECK_MEM(p, "\x00\x01\x23\x45\x67\x89\xab\xcd\xef\x00", 10);
	CHECK_EQ(smcx_get64(p + 1), 0x0123456789abcdef);
	CHECK_EQ(smcx_get32(p + 5), 0x89abcdef);
	CHECK_EQ(smcx_get24(p + 6), 0xabcdef);
	CHECK_EQ(smcx_get16(p + 7), 0xcdef);
	smcx_put24(p, 0xfffefdfc);
	CHECK_MEM(p, "\xfe\xfd\xfc\x45", 4);
	CHECK(smcx_fits(10, 10, 0) && smcx_fits(10, 0, 10) && smcx_fits(10, 9, 1));
	CHECK(!smcx_fits(10, 11, 0) && !smcx_fits(10, 9, 2) && !smcx_fits(10, 1, (size_t)-1));
	CHECK(!smcx_fits(10, (size_t)-1, 1));
}

const struct tap_case small_cases[] = {
	{ "eid: syntax", eid },
	{ "rmbe: size codes", rmbe },
	{ "reason: names, words, codes for the wire", reasons },
	{ "wire: big-endian fields and bounds", wire_helpers },
	{ 0 }
};
