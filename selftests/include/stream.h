/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stream.h - one end of a model-based stream test. Both ends run it at the
 * same time: each sends a pattern and verifies the other's, with operations,
 * sizes and flags drawn from a seed.
 */
#ifndef STREAM_H
#define STREAM_H

#include <stdint.h>

/* What an end does. */
#define STREAM_SEND 1		/* sends @bytes, then shuts down */
#define STREAM_RECV 2		/* receives until the end */
#define STREAM_BLOCKING 4	/* one direction, blocking calls */
#define STREAM_NO_SHUTDOWN 8

struct stream_cfg {
	uint64_t seed;		/* of choices */
	uint64_t tx_seed;	/* of the bytes sent */
	uint64_t rx_seed;	/* of the bytes expected */
	int64_t bytes;		/* to send */
	int64_t rx_bytes;	/* to receive; then the end must come */
	uint32_t max;		/* largest single operation */
	uint32_t flags;
	uint32_t stall_ms;	/* no progress for so long = failure */
};

struct stream_result {
	int64_t sent;
	int64_t received;
	int64_t ops;
	char why[160];		/* empty = fine */
};

int stream_run(int fd, const struct stream_cfg *cfg, struct stream_result *res);

#endif
