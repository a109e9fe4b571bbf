// SPDX-License-Identifier: GPL-2.0
/* smcx stat: counters since the module was loaded. */
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

static void show_fields(const struct nl_attrs *in, const struct field *f, size_t n)
{
	for (; n--; f++)
		if (nl_has(in, f->type))
			out_value(f->name, nl_num(in, f->type));
}

static void show_classes(const struct nl_attrs *tech, int type, const char *group)
{
	static const char *const names[SMCX_CLASSES] = {
		"up_to_8k", "up_to_16k", "up_to_32k", "up_to_64k", "up_to_128k", "up_to_256k",
		"up_to_512k", "up_to_1m", "above_1m",
	};
	struct nl_attrs in;
	int i;

	if (!nl_nested(tech, type, &in))
		return;
	out_group(group);
	for (i = 0; i < SMCX_CLASSES; i++)
		out_value(names[i], nl_num(&in, i + 1));
}

static void show_buffers(const struct nl_attrs *tech, int type, const char *group)
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
	out_group(group);
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
		{ SMCX_TECH_TX_RMB_USAGE, "send_buffer_bytes" },
		{ SMCX_TECH_RX_RMB_USAGE, "receive_buffer_bytes" },
	};

	out_group("smcr_connections");
	show_fields(tech, connections, COUNT(connections));
	out_group("smcr_traffic");
	show_fields(tech, traffic, COUNT(traffic));
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
	out_group("handshake_errors");
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
		out_value("client", nl_num(&in, SMCX_FBACK_CLNT_CNT));
	if (nl_has(&in, SMCX_FBACK_SRV_CNT))
		out_value("server", nl_num(&in, SMCX_FBACK_SRV_CNT));
	reason = nl_num(&in, SMCX_FBACK_RSN_CODE);
	if (!reason)
		return;
	snprintf(name, sizeof(name), "%s_%s", name_of_role(nl_num(&in, SMCX_FBACK_TYPE)),
		 smcx_reason_name(reason));
	out_value(name, nl_num(&in, SMCX_FBACK_RSN_CNT));
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
	out_value(name, nl_num(&in, SMCX_FBC_COUNT));
}

static void on_counter(const struct nlmsghdr *nlh, void *arg)
{
	struct nl_attrs top, in;

	nl_genl_attrs(nlh, &top);
	if (nl_nested(&top, SMCX_ATTR_COUNTER, &in))
		out_value(nl_str(&in, SMCX_CNTR_NAME), nl_num(&in, SMCX_CNTR_VALUE));
}

int cmd_stat(int argc, char **argv)
{
	uint64_t total[2] = { 0, 0 };
	bool own;

	if (argc)
		return usage_error("stat takes no arguments", argv[0]);
	own = nl_genl_exists(SMCX_GENL_NAME);
	/* Fails before anything is printed when there is no module. */
	nl_genl_need(SMCX_GEN_NAME);
	out_map_begin();
	nl_genl_dump(SMCX_GEN_NAME, SMCX_GEN_GET_STATS, on_stats, NULL);
	out_group("fallback_to_tcp");
	if (own) {
		nl_genl_dump(SMCX_GENL_NAME, SMCX_CMD_GET_FB_COUNT, on_own_fallback, total);
		out_value("client", total[0]);
		out_value("server", total[1]);
		out_group("module");
		nl_genl_dump(SMCX_GENL_NAME, SMCX_CMD_GET_COUNTERS, on_counter, NULL);
	} else {
		nl_genl_dump(SMCX_GEN_NAME, SMCX_GEN_GET_FBACK_STATS, on_fallback, NULL);
	}
	out_map_end();
	return EXIT_FINE;
}
