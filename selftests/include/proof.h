/* SPDX-License-Identifier: GPL-2.0 */
/*
 * proof.h - asks the kernel what carries a socket. Source: sock_diag family 43,
 * the interface of in-tree smc_diag, so it proves both modules alike.
 */
#ifndef PROOF_H
#define PROOF_H

#include <stdint.h>

enum carrier {
	CARRIER_UNKNOWN,	/* no sock_diag handler for family 43 */
	CARRIER_TCP,		/* plain TCP, not listed */
	CARRIER_FALLBACK,	/* listed as fallen back, with a reason */
	CARRIER_SMC,		/* SMC-R with a live link group */
	CARRIER_SMC_NOLGR,	/* SMC-R, link group gone */
};

/**
 * struct proof - what was found
 * @carrier: see above
 * @state: state of the socket as listed
 * @reason: local fallback reason
 * @peer_reason: diagnosis of the peer
 * @link_id: link in use
 * @role: 0 client, 1 server
 * @ibname: RDMA device
 */
struct proof {
	enum carrier carrier;
	int state;
	uint32_t reason;
	uint32_t peer_reason;
	int link_id;
	int role;
	char ibname[65];
};

int proof_of(int fd, struct proof *p);
int proof_count(void);
const char *proof_name(enum carrier c);

#endif
