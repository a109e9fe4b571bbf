// SPDX-License-Identifier: GPL-2.0
/* smcx stat: counters since the module was loaded, or what changes in some time. */
#include <linux/smcx_abi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "nl.h"
#include "out.h"
#include "reason.h"
#include "smcx.h"

struct field {
	int		type;
	const char	*name;
};

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))
#define COUNTERS	512

/* Counters in the order in which they are shown; a group's stand together. */
struct snapshot {
	unsigned int	n;
	struct counter {
		const char	*group;
		char		name[48];
		uint64_t	value;
		bool		level;	/* comes and goes: no difference is made */
	} all[COUNTERS];
};

static struct snapshot *now;
static const char *group;

static void group_begin(const char *name)
{
	group = name;
}

static struct counter *count(const char *name, uint64_t value)
{
	struct counter *c = &now->all[now->n];

	/* the last place is overwritten should there ever be so many */
	if (now->n < COUNTERS - 1)
		now->n++;
	c->group = group;
	snprintf(c->name, sizeof(c->name), "%s", name);
	c->value = value;
	c->level = false;
	return c;
}

/* In-tree smc lists some counters twice; names that come again are one counter. */
static const struct counter *find(const struct snapshot *in, const struct counter *like)
{
	unsigned int i;

	for (i = 0; i < in->n; i++)
		if (!strcmp(in->all[i].group, like->group) && !strcmp(in->all[i].name, like->name))
			return &in->all[i];
	return NULL;
}

static void show_fields(const struct nl_attrs *in, const struct field *f, size_t n)
{
	for (; n--; f++)
		if (nl_has(in, f->type))
			count(f->name, nl_num(in, f->type));
}

static void show_classes(const struct nl_attrs *tech, int type, const char *name)
{
	static const char *const names[SMCX_CLASSES] = {
		"up_to_8k", "up_to_16k", "up_to_32k", "up_to_64k", "up_to_128k", "up_to_256k",
		"up_to_512k", "up_to_1m", "above_1m",
	};
	struct nl_attrs in;
	int i;

	if (!nl_nested(tech, type, &in))
		return;
	group_begin(name);
	for (i = 0; i < SMCX_CLASSES; i++)
		count(names[i], nl_num(&in, i + 1));
}

static void show_buffers(const struct nl_attrs *tech, int type, const char *name)
{
	static const struct field fields[] = {
		{ SMCX_RMB_ALLOC, "allocated" },
		{ SMCX_RMB_REUSE, "reused" },
		{ SMCX_RMB_DGRADE, "made_smaller" },
		{ SMCX_RMB_SIZE_SM, "too_small" },
		{ SMCX_RMB_SIZE_SM_PEER, "too_small_at_peer" },
		{ SMCX_RMB_FULL, "full" },
		{ SMCX_RMB_FULL_PEER, "full_at_peer" },
	};
	struct nl_attrs in;

	if (!nl_nested(tech, type, &in))
		return;
	group_begin(name);
	show_fields(&in, fields, COUNT(fields));
}

static void show_smcr(const struct nl_attrs *tech)
{
	static const struct field connections[] = {
		{ SMCX_TECH_CLNT_V1_OK, "client_v1" },
		{ SMCX_TECH_CLNT_V2_OK, "client_v2" },
		{ SMCX_TECH_SRV_V1_OK, "server_v1" },
		{ SMCX_TECH_SRV_V2_OK, "server_v2" },
	};
	static const struct field traffic[] = {
		{ SMCX_TECH_TX_BYTES, "sent_bytes" },
		{ SMCX_TECH_TX_CALLS, "send_calls" },
		{ SMCX_TECH_RX_BYTES, "received_bytes" },
		{ SMCX_TECH_RX_CALLS, "receive_calls" },
		{ SMCX_TECH_SPLICE, "splice_calls" },
		{ SMCX_TECH_SENDPAGE, "sendpage_calls" },
		{ SMCX_TECH_CORK, "cork" },
		{ SMCX_TECH_NODELAY, "nodelay" },
		{ SMCX_TECH_URGENT, "urgent" },
	};
	static const struct field levels[] = {
		{ SMCX_TECH_TX_RMB_USAGE, "send_buffer_bytes" },
		{ SMCX_TECH_RX_RMB_USAGE, "receive_buffer_bytes" },
	};
	unsigned int i;

	group_begin("smcr_connections");
	show_fields(tech, connections, COUNT(connections));
	group_begin("smcr_traffic");
	show_fields(tech, traffic, COUNT(traffic));
	for (i = 0; i < COUNT(levels); i++)
		if (nl_has(tech, levels[i].type))
			count(levels[i].name, nl_num(tech, levels[i].type))->level = true;
	show_buffers(tech, SMCX_TECH_TX_RMB, "send_buffers");
	show_buffers(tech, SMCX_TECH_RX_RMB, "receive_buffers");
	show_classes(tech, SMCX_TECH_TX_RMB_SIZE, "send_buffer_sizes");
	show_classes(tech, SMCX_TECH_RX_RMB_SIZE, "receive_buffer_sizes");
	show_classes(tech, SMCX_TECH_TX_PAYLOAD, "sent_sizes");
	show_classes(tech, SMCX_TECH_RX_PAYLOAD, "received_sizes");
}

static void on_stats(const struct nlmsghdr *nlh, void *arg)
{
	static const struct field errors[] = {
		{ SMCX_STATS_CLNT_HS_ERR, "client" },
		{ SMCX_STATS_SRV_HS_ERR, "server" },
	};
	struct nl_attrs top, stats, tech;

	nl_genl_attrs(nlh, &top);
	if (!nl_nested(&top, SMCX_GEN_STATS, &stats))
		return;
	if (nl_nested(&stats, SMCX_STATS_SMCR, &tech))
		show_smcr(&tech);
	group_begin("handshake_errors");
	show_fields(&stats, errors, COUNT(errors));
}

/* "client_PEERNOSMC"; the counts of all reasons come in any order. */
static void on_fallback(const struct nlmsghdr *nlh, void *arg)
{
	struct nl_attrs top, in;
	char name[64];
	uint32_t reason;

	nl_genl_attrs(nlh, &top);
	if (!nl_nested(&top, SMCX_GEN_FBACK_STATS, &in))
		return;
	if (nl_has(&in, SMCX_FBACK_CLNT_CNT))
		count("client", nl_num(&in, SMCX_FBACK_CLNT_CNT));
	if (nl_has(&in, SMCX_FBACK_SRV_CNT))
		count("server", nl_num(&in, SMCX_FBACK_SRV_CNT));
	reason = nl_num(&in, SMCX_FBACK_RSN_CODE);
	if (!reason)
		return;
	snprintf(name, sizeof(name), "%s_%s", name_of_role(nl_num(&in, SMCX_FBACK_TYPE)),
		 smcx_reason_name(reason));
	count(name, nl_num(&in, SMCX_FBACK_RSN_CNT));
}

/* The 16 bits of in-tree smc's format run over; our own family has 32. */
static void on_own_fallback(const struct nlmsghdr *nlh, void *arg)
{
	struct nl_attrs top, in;
	uint64_t *total = arg;
	char name[64];

	nl_genl_attrs(nlh, &top);
	if (!nl_nested(&top, SMCX_ATTR_FB_COUNT, &in))
		return;
	total[!!nl_num(&in, SMCX_FBC_IS_SERVER)] += nl_num(&in, SMCX_FBC_COUNT);
	snprintf(name, sizeof(name), "%s_%s", name_of_role(nl_num(&in, SMCX_FBC_IS_SERVER)),
		 nl_str(&in, SMCX_FBC_NAME));
	count(name, nl_num(&in, SMCX_FBC_COUNT));
}

static void on_counter(const struct nlmsghdr *nlh, void *arg)
{
	struct nl_attrs top, in;

	nl_genl_attrs(nlh, &top);
	if (!nl_nested(&top, SMCX_ATTR_COUNTER, &in))
		return;
	count(nl_str(&in, SMCX_CNTR_NAME), nl_num(&in, SMCX_CNTR_VALUE))->level =
		!strcmp(nl_str(&in, SMCX_CNTR_NAME), "sockets_now");
}

static unsigned int log2_class(int class)
{
	return 32u << (class - 1);
}

/* One part of one role; classes without connections are left out, for there are many. */
static void on_setup(const struct nlmsghdr *nlh, void *arg)
{
	static char names[8][32];
	struct nl_attrs top, in, classes;
	uint64_t n = 0, sum;
	unsigned int *rows = arg, last = 1, i;
	char name[32];

	nl_genl_attrs(nlh, &top);
	if (!nl_nested(&top, SMCX_ATTR_SETUP, &in) || *rows >= COUNT(names) ||
	    !nl_nested(&in, SMCX_SETUP_CLASSES, &classes))
		return;
	while (last + 1 < COUNT(classes.a) && nl_has(&classes, last + 1))
		last++;
	for (i = 1; i <= last; i++)
		n += nl_num(&classes, i);
	snprintf(names[*rows], sizeof(names[0]), "%s_%s", name_of_role(nl_num(&in, SMCX_SETUP_IS_SERVER)),
		 nl_str(&in, SMCX_SETUP_PHASE));
	group_begin(names[(*rows)++]);
	sum = nl_num(&in, SMCX_SETUP_SUM_US);
	count("connections", n);
	count("sum_us", sum);
	count("mean_us", n ? sum / n : 0)->level = true;
	for (i = 1; i <= last; i++) {
		if (!nl_num(&classes, i))
			continue;
		snprintf(name, sizeof(name), "%s_%u_us", i < last ? "up_to" : "above",
			 log2_class(i < last ? i : i - 1));
		count(name, nl_num(&classes, i));
	}
}

static void take_setup(void)
{
	unsigned int rows = 0;

	nl_genl_need(SMCX_GENL_NAME);
	nl_genl_dump(SMCX_GENL_NAME, SMCX_CMD_GET_SETUP, on_setup, &rows);
}

static void take(struct snapshot *to)
{
	uint64_t total[2] = { 0, 0 };

	now = to;
	now->n = 0;
	if (options.setup) {
		take_setup();
		return;
	}
	nl_genl_dump(SMCX_GEN_NAME, SMCX_GEN_GET_STATS, on_stats, NULL);
	group_begin("fallback_to_tcp");
	if (!nl_genl_exists(SMCX_GENL_NAME)) {
		nl_genl_dump(SMCX_GEN_NAME, SMCX_GEN_GET_FBACK_STATS, on_fallback, NULL);
		return;
	}
	nl_genl_dump(SMCX_GENL_NAME, SMCX_CMD_GET_FB_COUNT, on_own_fallback, total);
	count("client", total[0]);
	count("server", total[1]);
	group_begin("module");
	nl_genl_dump(SMCX_GENL_NAME, SMCX_CMD_GET_COUNTERS, on_counter, NULL);
}

/* The mean of what is new is that of the new sum and count, which stand before it. */
static uint64_t mean(const struct counter *c, const struct snapshot *since)
{
	const struct counter *n = since ? find(since, c - 2) : NULL;
	const struct counter *sum = since ? find(since, c - 1) : NULL;
	uint64_t conns = c[-2].value - (n ? n->value : 0);

	return conns ? (c[-1].value - (sum ? sum->value : 0)) / conns : 0;
}

/* With @since: differences, and for people only those that are not zero. */
static void print(const struct snapshot *s, const struct snapshot *since)
{
	const char *last = NULL;
	unsigned int i;

	out_map_begin();
	for (i = 0; i < s->n; i++) {
		const struct counter *c = &s->all[i], *old = since && !c->level ? find(since, c) : NULL;
		uint64_t value = c->value - (old ? old->value : 0);

		if (options.setup && !strcmp(c->name, "mean_us"))
			value = mean(c, since);
		if (since && !value && !out_json)
			continue;
		if (!last || strcmp(last, c->group))
			out_group(c->group);
		last = c->group;
		out_value(c->name, value);
	}
	out_map_end();
	if (!last)
		fputs("nothing has changed\n", stderr);
}

/* --watch: the first round tells what was before, the others what changed since the round before. */
int cmd_stat(int argc, char **argv)
{
	static struct snapshot rounds[2];
	static unsigned int round;
	struct snapshot *s = &rounds[round & 1], *before = &rounds[~round & 1];

	if (argc)
		return usage_error("stat takes options only, not", argv[0]);
	/* Fails before anything is printed when there is no module. */
	nl_genl_need(SMCX_GEN_NAME);
	if (options.delta) {
		take(before);
		pause_for(options.delta);
	}
	take(s);
	print(s, round || options.delta ? before : NULL);
	if (options.watch)
		round++;
	return EXIT_FINE;
}
