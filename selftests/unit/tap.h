/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * tap.h - the smallest test frame that does: a case is a function full of checks, a
 * failed check names file, line and values and fails its case, each case is one TAP point.
 */
#ifndef SMCX_UNIT_TAP_H
#define SMCX_UNIT_TAP_H

#include <stdlib.h>

#include "host.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

struct tap_case {
	const char *name;
	void (*fn)(void);
};

/* One array per test file, ended by an empty entry. */
extern const struct tap_case clc_cases[], proposal_cases[], llc_cases[], flow_cases[], cdc_cases[], cursor_cases[],
	close_cases[], negotiate_cases[], ext_cases[], small_cases[];

void tap_check(int ok, const char *file, int line, const char *what);
void tap_check_eq(long long a, long long b, const char *file, int line, const char *what);
void tap_check_mem(const void *a, const void *b, size_t n, const char *file, int line, const char *what);

#define CHECK(e) tap_check(!!(e), __FILE__, __LINE__, #e)
#define CHECK_EQ(a, b) tap_check_eq((long long)(a), (long long)(b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_MEM(a, b, n) tap_check_mem(a, b, n, __FILE__, __LINE__, #a " == " #b)

/* Random numbers that are the same in each run; SEED=n in the environment gives others. */
u32 tap_rand(void);
/* 0 .. n-1 */
u32 tap_below(u32 n);

/* A copy that ends where its memory ends, so that reading on is noticed. Free it. */
u8 *tap_exact(const u8 *buf, size_t len);

/* The captured message of that name as bytes in static memory. */
const u8 *golden_get(const char *name, size_t *len);

#endif
