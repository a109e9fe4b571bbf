// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Syntax of user defined enterprise ids, protocol.rst 2.7 */

#include "eid.h"

static bool is_alnum(u8 c)
{
	return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool smcx_eid_is_valid(const u8 eid[SMCX_EID_LEN])
{
	size_t n = SMCX_EID_LEN, i;

	while (n && eid[n - 1] == ' ')
		n--;
	if (!n || !is_alnum(eid[0]))
		return false;
	for (i = 1; i < n; i++) {
		if (!is_alnum(eid[i]) && eid[i] != '.' && eid[i] != '-')
			return false;
	}
	return true;
}

int smcx_eid_normalise(const char *in, size_t len, u8 out[SMCX_EID_LEN])
{
	size_t n = 0, i;

	while (n < len && in[n])
		n++;
	while (n && (in[n - 1] == ' ' || in[n - 1] == '\n'))
		n--;
	if (n > SMCX_EID_LEN)
		return -EINVAL;

	memset(out, ' ', SMCX_EID_LEN);
	for (i = 0; i < n; i++) {
		u8 c = (u8)in[i];

		out[i] = (c >= 'a' && c <= 'z') ? (u8)(c - 'a' + 'A') : c;
	}
	return smcx_eid_is_valid(out) ? 0 : -EINVAL;
}
