// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Decline and fallback reasons, protocol.rst 2.11 */

#include "reason.h"

/**
 * struct reason - one row of the table
 * @code: enum smcx_reason
 * @wire: code for a Decline
 * @name: short name
 */
struct reason {
	u32		code;
	u32		wire;
	const char	*name;
};

#define WIRE(n)		{ SMCX_REASON_##n, SMCX_REASON_##n, #n }
#define LOCAL(n, w)	{ SMCX_REASON_LOCAL_##n, SMCX_REASON_##w, #n }

static const struct reason reasons[] = {
	WIRE(NONE),
	WIRE(MEM),
	WIRE(TIMEOUT_CL),
	WIRE(TIMEOUT_AL),
	WIRE(CNFERR),
	WIRE(PEERNOSMC),
	WIRE(IPSEC),
	WIRE(NOSMCDEV),
	WIRE(NOSMCDDEV),
	WIRE(NOSMCRDEV),
	WIRE(NOISM2SUPP),
	WIRE(NOV2EXT),
	WIRE(NOV2DEXT),
	WIRE(NOSEID),
	WIRE(NOSMCD2DEV),
	WIRE(NOUEID),
	WIRE(RELEASEERR),
	WIRE(MAXCONNERR),
	WIRE(MAXLINKERR),
	WIRE(MODEUNSUPP),
	WIRE(RMBE_EC),
	WIRE(OPTUNSUPP),
	WIRE(DIFFPREFIX),
	WIRE(GETVLANERR),
	WIRE(ISMVLANERR),
	WIRE(NOACTLINK),
	WIRE(NOSRVLINK),
	WIRE(VERSMISMAT),
	WIRE(MAX_DMB),
	WIRE(NOROUTE),
	WIRE(NOINDIRECT),
	WIRE(SYNCERR),
	WIRE(PEERDECL),
	WIRE(INTERR),
	WIRE(ERR_RTOK),
	WIRE(ERR_RDYLNK),
	WIRE(ERR_REGBUF),

	LOCAL(NO_NETDEV, GETVLANERR),
	LOCAL(NO_PORT, NOSMCRDEV),
	LOCAL(PORT_DOWN, NOSMCRDEV),
	LOCAL(NO_GID, NOSMCRDEV),
	LOCAL(NO_PNET, NOSMCRDEV),
	LOCAL(NETNS, NOSMCRDEV),
	LOCAL(NO_UEID, NOUEID),
	LOCAL(CROSSED_SYN, PEERNOSMC),
	LOCAL(ULP, OPTUNSUPP),
	LOCAL(REPAIR, OPTUNSUPP),
	LOCAL(LISTENER, PEERNOSMC),
	LOCAL(NO_PATH, NOROUTE),
};

static const struct reason *reason_find(u32 code)
{
	size_t i;

	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (reasons[i].code == code)
			return &reasons[i];
	}
	return NULL;
}

u32 smcx_reason_to_wire(u32 reason)
{
	const struct reason *r = reason_find(reason);

	if (r)
		return r->wire;
	return smcx_reason_is_local(reason) ? SMCX_REASON_INTERR : reason;
}

const char *smcx_reason_name(u32 reason)
{
	const struct reason *r = reason_find(reason);

	return r ? r->name : "UNKNOWN";
}

u32 smcx_reason_at(unsigned int i, bool *found)
{
	*found = i < sizeof(reasons) / sizeof(reasons[0]);
	return *found ? reasons[i].code : SMCX_REASON_NONE;
}
