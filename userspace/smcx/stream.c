// SPDX-License-Identifier: GPL-2.0
/*
 * Heads of TCP streams: CLC messages are the first bytes of each direction. See decode.h.
 *
 * A direction is a window of bytes, from the first one not used yet, and a map of those that came: segments may
 * come twice, in any order, and overlap. It is over at the first byte that is no CLC message. Bytes that came but
 * were not captured have their place in it, so that the message behind them is found.
 */
#include <stdlib.h>
#include <string.h>

#include "clc.h"
#include "decode.h"

#define STREAMS		4096
#define BUCKETS		1024
#define WINDOW		4096	/* bytes kept of a direction */

/* What the map says of a byte; 0: it did not come. */
enum { CUT = 1, HAVE = 2 };

/* One direction of a connection. */
struct way {
	bool	known;		/* @base is known */
	bool	over;
	bool	in_syn;		/* the next message came with the SYN */
	bool	asks;		/* data came with the SYN, which was not answered yet */
	u32	first;		/* sequence number behind the SYN's */
	u32	base;		/* sequence number of buf[0] */
	size_t	skip;		/* rest of a long message, still to come */
	u8	*buf;
	u8	*map;
};

struct stream {
	struct stream	*next;
	bool		used;
	struct packet	ends;		/* as the first packet seen */
	struct way	way[2];		/* as @ends, and back */
};

static struct stream *streams;
static struct stream *buckets[BUCKETS];
static unsigned int oldest;

static unsigned int hash(const struct packet *p)
{
	unsigned int h = p->sport ^ p->dport;
	size_t i;

	/* the same for both directions */
	for (i = 0; i < sizeof(p->src); i++)
		h += (unsigned int)(p->src[i] ^ p->dst[i]) << (i & 7);
	return h % BUCKETS;
}

static bool is_same(const struct packet *a, const struct packet *b)
{
	return a->family == b->family && a->sport == b->sport && a->dport == b->dport &&
	       !memcmp(a->src, b->src, sizeof(a->src)) && !memcmp(a->dst, b->dst, sizeof(a->dst));
}

static struct packet turned(const struct packet *p)
{
	struct packet t = *p;

	memcpy(t.src, p->dst, sizeof(t.src));
	memcpy(t.dst, p->src, sizeof(t.dst));
	t.sport = p->dport;
	t.dport = p->sport;
	return t;
}

static void way_free(struct way *w)
{
	free(w->buf);
	memset(w, 0, sizeof(*w));
}

static void drop(struct stream *s)
{
	struct stream **at = &buckets[hash(&s->ends)];

	while (*at && *at != s)
		at = &(*at)->next;
	if (*at)
		*at = s->next;
	way_free(&s->way[0]);
	way_free(&s->way[1]);
	memset(s, 0, sizeof(*s));
}

void stream_reset(void)
{
	unsigned int i;

	for (i = 0; streams && i < STREAMS; i++)
		if (streams[i].used)
			drop(&streams[i]);
	free(streams);
	streams = NULL;
	oldest = 0;
}

/* The stream of a packet and which way it goes: 0 if there is none, as it would be the first. */
static struct stream *find(const struct packet *p, int *way)
{
	struct packet back = turned(p);
	struct stream *s;

	for (s = buckets[hash(p)]; s; s = s->next) {
		*way = is_same(&s->ends, p) ? 0 : 1;
		if (!*way || is_same(&s->ends, &back))
			return s;
	}
	*way = 0;
	return NULL;
}

static struct stream *create(const struct packet *p)
{
	struct stream *s;

	if (!streams)
		streams = calloc(STREAMS, sizeof(*streams));
	if (!streams)
		return NULL;
	s = &streams[oldest++ % STREAMS];
	if (s->used)
		drop(s);
	s->used = true;
	s->ends = *p;
	s->next = buckets[hash(p)];
	buckets[hash(p)] = s;
	return s;
}

static bool way_open(struct way *w)
{
	if (!w->buf)
		w->buf = calloc(2, WINDOW);
	w->map = w->buf ? w->buf + WINDOW : NULL;
	return w->buf != NULL;
}

static void way_store(struct way *w, const struct segment *s, u32 seq)
{
	/* signed: data before the window is a repetition */
	s32 off = (s32)(seq - w->base);
	size_t at, from = 0, i;

	if (off < 0)
		from = (size_t)-(int64_t)off;
	at = off < 0 ? 0 : (size_t)off;
	for (i = from; i < s->whole && at < WINDOW; i++, at++) {
		if (i < s->len) {
			w->buf[at] = s->data[i];
			w->map[at] = HAVE;
		} else if (!w->map[at]) {
			w->map[at] = CUT;
		}
	}
}

/* Bytes at the head of the window of which the map says @least or more. */
static size_t way_filled(const struct way *w, u8 least)
{
	size_t n = 0;

	while (n < WINDOW && w->map[n] >= least)
		n++;
	return n;
}

static void way_advance(struct way *w, size_t n)
{
	memmove(w->buf, w->buf + n, WINDOW - n);
	memmove(w->map, w->map + n, WINDOW - n);
	memset(w->map + WINDOW - n, 0, n);
	w->base += (u32)n;
}

static void way_end(struct way *w)
{
	free(w->buf);
	w->buf = NULL;
	w->map = NULL;
	w->over = true;
}

/* Takes the next message from the window; false if there is none. */
static bool way_take(struct way *w, const struct packet *p)
{
	size_t came = way_filled(w, CUT), have = way_filled(w, HAVE), want;
	int len;

	if (w->skip) {
		want = w->skip < came ? w->skip : came;
		way_advance(w, want);
		w->skip -= want;
		return want && !w->skip;
	}
	len = smcx_clc_peek_len(w->buf, have);
	/* without its length, the next one cannot be found either */
	if (len < 0 || (!len && came > have)) {
		way_end(w);
		return false;
	}
	want = len > SMCX_CLC_BUF_LEN ? SMCX_CLC_BUF_LEN : (size_t)len;
	if (!len || came < want)
		return false;
	show_clc(p, w->buf, have < want ? have : want, w->in_syn);
	w->in_syn = false;
	/* what follows is the application's */
	if (w->buf[4] == SMCX_CLC_DECLINE || w->buf[4] == SMCX_CLC_CONFIRM) {
		way_end(w);
		return false;
	}
	way_advance(w, want);
	w->skip = (size_t)len - want;
	return true;
}

/*
 * A server's Decline after its Accept is possible, thus a direction is not over with the Accept.
 * Where the capture began later than the connection, a segment that begins with a message begins the direction.
 */
static void way_data(struct way *w, const struct packet *p, const struct segment *s)
{
	u32 seq = s->seq + s->syn;

	if (w->over || !s->whole)
		return;
	if (!w->known) {
		if (smcx_clc_peek_len(s->data, s->len) <= 0)
			return;
		w->base = seq;
		w->known = true;
	}
	if (!way_open(w))
		return;
	way_store(w, s, seq);
	while (way_take(w, p))
		;
}

static void way_begin(struct way *w, u32 first, bool has_data)
{
	way_free(w);
	w->known = true;
	w->first = first;
	w->base = first;
	w->in_syn = has_data;
	w->asks = has_data;
}

/*
 * Data of the SYN that the server did not take come again, or others in their place: the Proposal of a SYN is longer
 * than the one that follows. Only the first answer counts: one that comes again may do so behind those others.
 */
static void way_answer(struct way *w, u32 ack_seq)
{
	if (w->asks && ack_seq == w->first)
		way_begin(w, w->first, false);
	w->asks = false;
}

/* Only what offers SMC is followed; the answer to it is told, whatever it is. */
static void on_syn(const struct packet *p, const struct segment *s)
{
	struct stream *st;
	int way;

	st = find(p, &way);
	if (st && !s->ack) {
		drop(st);
		st = NULL;
		way = 0;
	}
	if (!st && s->has_option)
		st = create(p);
	if (!st)
		return;
	show_syn(p, s->ack, s->has_option, s->whole);
	if (s->ack)
		way_answer(&st->way[!way], s->ack_seq);
	way_begin(&st->way[way], s->seq + 1, s->whole != 0);
	way_data(&st->way[way], p, s);
}

void stream_segment(const struct packet *p, const struct segment *s)
{
	struct stream *st;
	int way;

	if (s->syn) {
		on_syn(p, s);
		return;
	}
	if (!s->whole)
		return;
	st = find(p, &way);
	if (!st) {
		if (smcx_clc_peek_len(s->data, s->len) <= 0)
			return;
		st = create(p);
	}
	if (st)
		way_data(&st->way[way], p, s);
}
