/* SPDX-License-Identifier: GPL-2.0 */
/* peer_exec.h - executes one operation of peer.h in this process. */
#ifndef PEER_EXEC_H
#define PEER_EXEC_H

#include "peer.h"

struct peer_req {
	uint32_t op;
	int32_t fd;
	int64_t a[4];
	uint32_t len;
	uint32_t pad;
};

extern int peer_exec_more_port;

void peer_exec(const struct peer_req *r, const void *in, struct peer_reply *rep,
	       void *out);
int peer_own_addr6(struct sockaddr_storage *ss);

#endif
