// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The extension's bytes, Documentation/one-rtt.rst */

#include "ext.h"
#include "wire.h"

void smcx_ext_put_caps(u8 vendor[4], u16 caps)
{
	memset(vendor, 0, 4);
	if (!caps)
		return;
	vendor[0] = SMCX_EXT_VENDOR;
	vendor[1] = SMCX_EXT_VERSION;
	smcx_put16(vendor + 2, caps);
}

u16 smcx_ext_caps(const u8 vendor[4])
{
	if (vendor[0] != SMCX_EXT_VENDOR || vendor[1] < SMCX_EXT_VERSION)
		return 0;
	return smcx_get16(vendor + 2);
}

void smcx_ext_put_token(u8 to[8], u64 token)
{
	smcx_put64(to, token);
}

u64 smcx_ext_proposal_token(const struct smcx_clc_proposal *prop)
{
	if (!prop->has_v2 || !(smcx_ext_caps(prop->vendor) & SMCX_CAP_SYN))
		return 0;
	return smcx_get64(prop->v2.reserved + SMCX_EXT_TOKEN_OFF);
}

u64 smcx_ext_accept_token(const struct smcx_clc_accept *acc, u16 caps)
{
	if (acc->version < 2 || acc->is_smcd || !(caps & SMCX_CAP_SYN))
		return 0;
	return smcx_get64(acc->reserved);
}
