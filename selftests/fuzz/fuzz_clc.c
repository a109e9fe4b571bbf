// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * CLC: bytes from a peer through every decoder; what decodes and is ours to send encodes,
 * and decodes to the same again. Odd first byte: length and eye catchers are put
 * right first, so that the parts behind them are reached.
 */

#include "clc.h"
#include "fuzz.h"
#include "reason.h"

static const u8 eye[4] = { 0xE2, 0xD4, 0xC3, 0xD9 };

static void put_right(u8 *msg, size_t len)
{
	if (len < 12 || len > 65535)
		return;
	memcpy(msg, eye, 4);
	msg[5] = (u8)(len >> 8);
	msg[6] = (u8)len;
	memcpy(msg + len - 4, eye, 4);
}

static void proposal(const u8 *msg, size_t len)
{
	static struct smcx_clc_proposal p, again;
	u8 buf[SMCX_CLC_PROPOSAL_LEN_MAX];
	int n;

	if (smcx_clc_decode_proposal(msg, len, &p))
		return;
	MUST(p.n_v6 <= SMCX_CLC_V6_MAX && p.v2.n_eids <= SMCX_CLC_EIDS_MAX && p.v4_len <= 32);
	n = smcx_clc_encode_proposal(&p, buf, sizeof(buf));
	if (p.version > 2 || p.typev1 & 1 || p.typev2 & 1 || (p.typev1 == 2 && p.typev2 == 2) ||
	    (p.typev2 != 2) != p.has_v2) {
		MUST(n == -EINVAL);
		return;
	}
	MUST(n > 0);
	MUST(smcx_clc_peek_len(buf, (size_t)n) == n);
	MUST(!smcx_clc_decode_proposal(buf, (size_t)n, &again));
	MUST(!memcmp(&p, &again, sizeof(p)));
}

static void accept(const u8 *msg, size_t len)
{
	static struct smcx_clc_accept a, again;
	u8 buf[SMCX_CLC_ACCEPT_LEN_MAX];
	int n;

	if (smcx_clc_decode_accept(msg, len, &a))
		return;
	MUST(a.is_smcd || a.rmbe_idx);
	MUST(a.n_gids <= SMCX_CLC_GIDS_MAX && a.rmbe_code <= SMCX_RMBE_CODE_MAX);
	n = smcx_clc_encode_accept(&a, buf, sizeof(buf));
	if (a.is_smcd || a.version > 2 || a.mtu < 1 || a.mtu > 5) {
		MUST(n == -EINVAL);
		return;
	}
	MUST(n > 0);
	MUST(!smcx_clc_decode_accept(buf, (size_t)n, &again));
	MUST(!memcmp(&a, &again, sizeof(a)));
}

static void decline(const u8 *msg, size_t len)
{
	static struct smcx_clc_decline d, again;
	u8 buf[SMCX_CLC_DECLINE_LEN_MAX];
	int n;

	if (smcx_clc_decode_decline(msg, len, &d))
		return;
	MUST(smcx_reason_name(d.diagnosis));
	n = smcx_clc_encode_decline(&d, buf, sizeof(buf));
	if (d.version > 2 || smcx_reason_is_local(d.diagnosis)) {
		MUST(n == -EINVAL);
		return;
	}
	MUST(n > 0);
	MUST(!smcx_clc_decode_decline(buf, (size_t)n, &again));
	MUST(!memcmp(&d, &again, sizeof(d)));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	bool mend = take(&data, &len) & 1;
	u8 *msg = malloc(len + 1);
	int n;

	if (len)
		memcpy(msg, data, len);
	/* the end of the input is the end of memory */
	msg = realloc(msg, len ? len : 1);
	if (mend)
		put_right(msg, len);
	n = smcx_clc_peek_len(msg, len);
	MUST(n == -EPROTO || n == 0 || (n >= 12 && n <= 65535));
	MUST(len >= 8 || n == 0);
	if (len > SMCX_CLC_BUF_LEN)
		len = SMCX_CLC_BUF_LEN;
	proposal(msg, len);
	accept(msg, len);
	decline(msg, len);
	free(msg);
	return 0;
}
