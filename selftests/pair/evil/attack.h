/* SPDX-License-Identifier: GPL-2.0 */
/* attack.h - attacks by name; see the files that end in a list of them. */
#ifndef EVIL_ATTACK_H
#define EVIL_ATTACK_H

#include "evil.h"

struct target {
	struct rc_dev dev;
	struct in_addr addr;
	struct in_addr other;	/* a second address of this machine */
	uint16_t port;
};

/* @run: the attack; Return: false if it could not be made, or had not the end it must have */
struct attack {
	const char *name;
	bool (*run)(struct target *t);
};

extern const struct attack client_attacks[], data_attacks[], crowd_attacks[], server_attacks[];

struct evil *evil_begin(struct target *t);
struct evil_conn *evil_serve(struct evil *e, const char *how);
bool evil_lives(struct evil *e);

bool fail_at(const char *file, int line, const char *what);
#define WANT(x) do { if (!(x)) return fail_at(__FILE__, __LINE__, #x); } while (0)

#endif
