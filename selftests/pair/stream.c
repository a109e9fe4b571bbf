// SPDX-License-Identifier: GPL-2.0
/*
 * Model-based stream test: both ends send a known pattern by random calls and
 * verify the other's, byte by byte. "--seed N" repeats a run; "--bytes N" sets
 * how much goes each way, "--conns N" how many connections run at once.
 *
 * vm-cflags: -Iinclude include/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 */
#define _GNU_SOURCE
#include "selftest.h"
#include "stream.h"
#include "pattern.h"

#include <pthread.h>

struct job {
	pthread_t t;
	int fd, pfd;
	struct peer *peer;
	struct stream_cfg own, other;
	struct stream_result own_res, other_res;
	long other_ret;
};

static long bytes_wanted(long dflt)
{
	return st_arg_num("bytes", dflt);
}

static void make_cfg(struct job *j, uint64_t seed, long n, uint32_t max)
{
	j->own = (struct stream_cfg){
		.seed = seed * 2, .tx_seed = seed + 1000, .rx_seed = seed + 2000,
		.bytes = n, .rx_bytes = n, .max = max,
		.flags = STREAM_SEND | STREAM_RECV, .stall_ms = st_ms(10000),
	};
	j->other = j->own;
	j->other.seed = seed * 2 + 1;
	j->other.tx_seed = j->own.rx_seed;
	j->other.rx_seed = j->own.tx_seed;
}

static void *own_end(void *arg)
{
	struct job *j = arg;

	stream_run(j->fd, &j->own, &j->own_res);
	return NULL;
}

static void start(struct job *j)
{
	j->peer = peer_thread(st.peer);
	REQUIRE(j->peer);
	peer_post(j->peer, P_STREAM, j->pfd, (int64_t[4]){}, &j->other,
		  sizeof(j->other));
	pthread_create(&j->t, NULL, own_end, j);
}

static void finish(struct job *j)
{
	struct peer_reply r;

	pthread_join(j->t, NULL);
	if (j->own_res.why[0])
		st_fail(__FILE__, __LINE__, "this end: %s", j->own_res.why);
	if (peer_wait(j->peer, st_ms(15000), &r, &j->other_res, sizeof(j->other_res))) {
		st_fail(__FILE__, __LINE__, "no answer from the other end");
		return;
	}
	if (j->other_res.why[0])
		st_fail(__FILE__, __LINE__, "other end: %s", j->other_res.why);
	peer_free(j->peer);
}

static void one(uint64_t seed, long n, uint32_t max, int rcvbuf, int sndbuf)
{
	struct job j = {};

	st_pair_opts(&j.fd, &j.pfd, rcvbuf, sndbuf);
	make_cfg(&j, seed, n, max);
	start(&j);
	finish(&j);
	close(j.fd);
	p_do(st.peer, P_CLOSE, j.pfd);
}

static void t_mixed(void)
{
	st_note("seed %llu", (unsigned long long)st.seed);
	one(st.seed, bytes_wanted(8 << 20), 200000, 0, 0);
}

static void t_small_ops(void)
{
	st_note("seed %llu", (unsigned long long)st.seed);
	one(st.seed, bytes_wanted(1 << 20), 3000, 0, 0);
}

static void t_small_buffers(void)
{
	st_note("seed %llu", (unsigned long long)st.seed);
	one(st.seed, bytes_wanted(2 << 20), 50000, 4096, 4096);
}

static void t_large_buffers(void)
{
	st_note("seed %llu", (unsigned long long)st.seed);
	one(st.seed, bytes_wanted(16 << 20), 1 << 20, 1 << 20, 1 << 20);
}

static void t_uneven(void)
{
	struct job j = {};

	st_note("seed %llu", (unsigned long long)st.seed);
	st_pair_opts(&j.fd, &j.pfd, 20000, 500000);
	make_cfg(&j, st.seed, bytes_wanted(4 << 20), 100000);
	j.other.bytes = j.own.rx_bytes = 12345;
	start(&j);
	finish(&j);
}

/* Ten short lives, one after the other: buffers are reused and must be clean. */
static void t_short(void)
{
	st_note("seed %llu", (unsigned long long)st.seed);
	for (int i = 0; i < 10; i++)
		one(st.seed + i, 1 + pat_mix(st.seed + i) % 70000, 10000, 0, 0);
}

static void t_many(void)
{
	int n = st_arg_num("conns", 50);
	struct job *j = calloc(n, sizeof(*j));

	st_note("seed %llu", (unsigned long long)st.seed);
	for (int i = 0; i < n; i++) {
		st_pair(&j[i].fd, &j[i].pfd);
		make_cfg(&j[i], st.seed + i * 10, bytes_wanted(16 << 20) / n, 60000);
	}
	for (int i = 0; i < n; i++)
		start(&j[i]);
	for (int i = 0; i < n; i++)
		finish(&j[i]);
}

/* Blocking calls, sender and receiver in threads of their own on one socket. */
static void t_threads(void)
{
	struct job tx = {}, rx = {};

	st_note("seed %llu", (unsigned long long)st.seed);
	st_pair_opts(&tx.fd, &tx.pfd, 65536, 65536);
	make_cfg(&tx, st.seed, bytes_wanted(4 << 20), 150000);
	tx.own.flags = tx.other.flags = STREAM_SEND | STREAM_BLOCKING;
	rx = tx;
	rx.own.flags = rx.other.flags = STREAM_RECV | STREAM_BLOCKING;
	rx.own.seed += 77;
	rx.other.seed += 77;
	start(&rx);
	start(&tx);
	finish(&tx);
	finish(&rx);
}

static const struct st_case cases[] = {
	{ "mixed calls", t_mixed, true, .secs = 120 },
	{ "small calls", t_small_ops, true, .secs = 120 },
	{ "small buffers", t_small_buffers, true, .secs = 120 },
	{ "large buffers", t_large_buffers, true, .secs = 120 },
	{ "one way mostly", t_uneven, true, .secs = 120 },
	{ "short lives", t_short, true, .secs = 120 },
	{ "50 connections", t_many, true, .secs = 180 },
	{ "blocking threads", t_threads, true, .secs = 120 },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "stream", cases, ARRAY_SIZE(cases));
}
