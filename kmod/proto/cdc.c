// SPDX-License-Identifier: GPL-2.0 OR MIT
/* CDC messages, protocol.rst 5.1 */

#include "cdc.h"
#include "wire.h"

static void cursor_put(u8 *p, struct smcx_cursor c)
{
	smcx_put16(p, c.wrap);
	smcx_put32(p + 2, c.off);
}

static struct smcx_cursor cursor_get(const u8 *p)
{
	return (struct smcx_cursor){
		.wrap = smcx_get16(p),
		.off = smcx_get32(p + 2),
	};
}

void smcx_cdc_encode(const struct smcx_cdc_msg *in, u8 buf[SMCX_CDC_LEN])
{
	memset(buf, 0, SMCX_CDC_LEN);
	buf[0] = SMCX_CDC_TYPE;
	buf[1] = SMCX_CDC_LEN;
	smcx_put16(buf + 2, in->seqno);
	smcx_put32(buf + 4, in->token);
	cursor_put(buf + 10, in->prod);
	cursor_put(buf + 18, in->cons);
	buf[24] = in->prod_flags;
	buf[25] = in->state_flags;
}

int smcx_cdc_decode(const u8 *buf, size_t len, struct smcx_cdc_msg *out)
{
	if (len < SMCX_CDC_LEN_MIN || buf[0] != SMCX_CDC_TYPE ||
	    buf[1] != SMCX_CDC_LEN)
		return -EPROTO;

	memset(out, 0, sizeof(*out));
	out->seqno = smcx_get16(buf + 2);
	out->token = smcx_get32(buf + 4);
	out->prod = cursor_get(buf + 10);
	out->cons = cursor_get(buf + 18);
	out->prod_flags = buf[24];
	out->state_flags = buf[25];
	return 0;
}
