// SPDX-License-Identifier: GPL-2.0
/* smcx sock: every socket, what carries it, and why not SMC. */
#include <arpa/inet.h>
#include <linux/smcx_abi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "close.h"
#include "nl.h"
#include "out.h"
#include "reason.h"
#include "smcx.h"
#include "words.h"

static struct out_column columns[] = {
	{ "state", "State", false },
	{ "carrier", "Carrier", false },
	{ "local_address", NULL, false },
	{ "local_port", NULL, false },
	{ "local", "Local", false },
	{ "peer_address", NULL, false },
	{ "peer_port", NULL, false },
	{ "peer", "Peer", false },
	{ "role", "Role", false },
	{ "device", "Device", false },
	{ "one_rtt", "1-RTT", false },
	{ "process", NULL, false },
	{ "pid", NULL, false },
	{ "reason", "Reason", false },
	{ "reason_code", NULL, false },
	{ "reason_text", "why not SMC", true },
	{ "cure", "what to do", true },
	{ "peer_reason", NULL, false },
	{ "peer_reason_code", NULL, false },
	{ "peer_reason_text", "the peer's reason", true },
	{ "peer_cure", "what to do", true },
	{ "link", NULL, false },
	{ "gid", NULL, false },
	{ "peer_gid", NULL, false },
	{ "uid", NULL, false },
	{ "inode", NULL, false },
	{ NULL, NULL, false },
};

/* What is wanted; zero, NULL: anything. */
struct filter {
	struct out_table	*table;
	bool			listen;
	bool			smc;
	bool			tcp;
	const char		*state;
	char			addr[INET6_ADDRSTRLEN];
	const char		*reason;
	unsigned int		port;
};

/* In-tree smc tells IPv4 from IPv6 by nothing but the words that are not zero. */
static bool is_ipv4(const struct inet_diag_sockid *id, const struct nl_attrs *attrs)
{
	if (nl_has(attrs, SMCX_DIAG_FAMILY))
		return nl_num(attrs, SMCX_DIAG_FAMILY) == AF_INET;
	return !id->idiag_src[1] && !id->idiag_src[2] && !id->idiag_src[3] &&
	       !id->idiag_dst[1] && !id->idiag_dst[2] && !id->idiag_dst[3];
}

/* v4-mapped addresses are shown as what they are on the wire. */
static const char *address(const __be32 *words, bool ipv4, char *text)
{
	const struct in6_addr *in6 = (const void *)words;

	if (ipv4)
		return inet_ntop(AF_INET, words, text, INET6_ADDRSTRLEN);
	if (IN6_IS_ADDR_V4MAPPED(in6))
		return inet_ntop(AF_INET, words + 3, text, INET6_ADDRSTRLEN);
	return inet_ntop(AF_INET6, words, text, INET6_ADDRSTRLEN);
}

static void show_end(struct out_table *t, const char *side, const __be32 *words, bool ipv4,
		     uint16_t port)
{
	char text[INET6_ADDRSTRLEN], key[24];
	const char *addr = address(words, ipv4, text);

	snprintf(key, sizeof(key), "%s_address", side);
	out_str(t, key, "%s", addr);
	snprintf(key, sizeof(key), "%s_port", side);
	out_num(t, key, port);
	if (strchr(addr, ':'))
		out_str(t, side, "[%s]:%u", addr, port);
	else
		out_str(t, side, "%s:%u", addr, port);
}

/* Nothing carries a listener, and it is not decided yet for what is being connected. */
static void show_carrier(struct out_table *t, const struct smcx_diag_msg *msg)
{
	static const char *const names[] = { "SMC-R", "TCP", "SMC-D" };

	if (msg->mode >= sizeof(names) / sizeof(names[0]))
		return;
	if (msg->mode != SMCX_DIAG_MODE_TCP &&
	    (msg->state == SMCX_ST_LISTEN || msg->state == SMCX_ST_INIT))
		return;
	out_str(t, "carrier", "%s", names[msg->mode]);
	out_paint(t, "carrier", msg->mode == SMCX_DIAG_MODE_TCP ? PAINT_WARN : PAINT_GOOD);
}

/* A Decline of the peer is explained by the peer's reason. */
static void show_fallback(struct out_table *t, const struct smcx_diag_fallback *fb)
{
	uint32_t told;

	if (!fb || !fb->reason)
		return;
	out_str(t, "reason", "%s", smcx_reason_name(fb->reason));
	out_str(t, "reason_code", "0x%08x", fb->reason);
	out_str(t, "reason_text", "%s", reason_cause(fb->reason));
	if (!fb->peer_diagnosis) {
		out_str(t, "cure", "%s", reason_cure(fb->reason));
		return;
	}
	told = reason_of_peer(fb->peer_diagnosis);
	out_str(t, "peer_reason", "%s", smcx_reason_name(told));
	out_str(t, "peer_reason_code", "0x%08x", fb->peer_diagnosis);
	out_str(t, "peer_reason_text", "%s: %s", smcx_reason_name(told), reason_cause(told));
	out_str(t, "peer_cure", "%s", reason_cure(told));
}

static void show_group(struct out_table *t, const struct smcx_diag_lgrinfo *lgr)
{
	if (!lgr)
		return;
	out_str(t, "role", "%s", name_of_role(lgr->role));
	out_str(t, "device", "%.64s/%u", (const char *)lgr->ibname, lgr->ibport);
	out_num(t, "link", lgr->link_id);
	out_gid(t, "gid", (const char *)lgr->gid, sizeof(lgr->gid));
	out_gid(t, "peer_gid", (const char *)lgr->peer_gid, sizeof(lgr->peer_gid));
}

static void show_process(struct out_table *t, uint64_t inode)
{
	char text[256];
	int pid = options.processes ? proc_holders(inode, text, sizeof(text)) : 0;

	if (!pid)
		return;
	out_str(t, "process", "%s", text);
	out_num(t, "pid", pid);
}

static bool is_kind_wanted(const struct filter *f, const struct smcx_diag_msg *msg)
{
	if (msg->state == SMCX_ST_LISTEN)
		return f->listen;
	return msg->mode == SMCX_DIAG_MODE_TCP ? f->tcp : f->smc;
}

static bool is_addr_wanted(const struct filter *f, const struct smcx_diag_msg *msg, bool ipv4)
{
	char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];

	if (f->port && f->port != ntohs(msg->id.idiag_sport) && f->port != ntohs(msg->id.idiag_dport))
		return false;
	return !*f->addr || !strcmp(f->addr, address(msg->id.idiag_src, ipv4, src)) ||
	       !strcmp(f->addr, address(msg->id.idiag_dst, ipv4, dst));
}

static bool is_reason(const char *word, uint32_t code, const char *name)
{
	char *end;
	unsigned long n = strtoul(word, &end, 0);

	return code && (!strcasecmp(word, name) || (!*end && n == code));
}

static bool is_wanted(const struct filter *f, const struct smcx_diag_msg *msg, bool ipv4,
		      const struct smcx_diag_fallback *fb)
{
	if (!is_kind_wanted(f, msg) || !is_addr_wanted(f, msg, ipv4))
		return false;
	if (f->state && strcasecmp(f->state, smcx_state_name(msg->state)))
		return false;
	if (!f->reason)
		return true;
	return fb && msg->mode == SMCX_DIAG_MODE_TCP &&
	       (is_reason(f->reason, fb->reason, smcx_reason_name(fb->reason)) ||
		is_reason(f->reason, fb->peer_diagnosis, smcx_reason_name(reason_of_peer(fb->peer_diagnosis))));
}

static void on_sock(const struct nlmsghdr *nlh, void *arg)
{
	const struct smcx_diag_msg *msg = mnl_nlmsg_get_payload(nlh);
	const struct filter *f = arg;
	const struct smcx_diag_fallback *fb;
	struct out_table *t = f->table;
	struct nl_attrs attrs;
	bool ipv4;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*msg))
		return;
	nl_msg_attrs(nlh, sizeof(*msg), &attrs);
	fb = nl_data(&attrs, SMCX_DIAG_FALLBACK, sizeof(*fb));
	ipv4 = is_ipv4(&msg->id, &attrs);
	if (!is_wanted(f, msg, ipv4, fb))
		return;
	out_row(t);
	out_str(t, "state", "%s", smcx_state_name(msg->state));
	show_carrier(t, msg);
	show_end(t, "local", msg->id.idiag_src, ipv4, ntohs(msg->id.idiag_sport));
	show_end(t, "peer", msg->id.idiag_dst, ipv4, ntohs(msg->id.idiag_dport));
	out_num(t, "uid", msg->uid);
	out_num(t, "inode", msg->inode);
	show_process(t, msg->inode);
	if (msg->mode == SMCX_DIAG_MODE_TCP)
		show_fallback(t, fb);
	show_group(t, nl_data(&attrs, SMCX_DIAG_LGRINFO, sizeof(struct smcx_diag_lgrinfo)));
	if (nl_has(&attrs, SMCX_DIAG_ONE_RTT))
		out_bool(t, "one_rtt", nl_num(&attrs, SMCX_DIAG_ONE_RTT));
}

/* NULL if @word is a state, else the complaint, with those that there are. */
static const char *not_a_state(const char *word)
{
	static char text[256];
	size_t len = snprintf(text, sizeof(text), "no such state (there are");
	unsigned int i;

	for (i = 0; i <= UINT8_MAX; i++) {
		const char *name = smcx_state_name(i);

		if (!strcmp(name, "UNKNOWN"))
			continue;
		if (!strcasecmp(word, name))
			return NULL;
		len += snprintf(text + len, len < sizeof(text) ? sizeof(text) - len : 0, " %s", name);
	}
	snprintf(text + len, len < sizeof(text) ? sizeof(text) - len : 0, ")");
	return text;
}

/* A number may be one that only other systems know. */
static bool is_known_reason(const char *word)
{
	unsigned int i;
	bool found;
	char *end;

	strtoul(word, &end, 0);
	if (*word && !*end)
		return true;
	for (i = 1; smcx_reason_at(i, &found), found; i++)
		if (!strcasecmp(word, smcx_reason_name(smcx_reason_at(i, &found))))
			return true;
	return false;
}

/* In the notation in which addresses are shown. */
static bool take_address(struct filter *f, const char *word)
{
	struct in6_addr in6;
	struct in_addr in;

	if (inet_pton(AF_INET, word, &in) == 1)
		return inet_ntop(AF_INET, &in, f->addr, sizeof(f->addr));
	return inet_pton(AF_INET6, word, &in6) == 1 && address(in6.s6_addr32, false, f->addr);
}

static bool is_filter(const char *word)
{
	return !strcmp(word, "state") || !strcmp(word, "addr") || !strcmp(word, "reason") ||
	       !strcmp(word, "port");
}

/* One of the words that need a value behind them; NULL if fine, else what is wrong. */
static const char *take_filter(struct filter *f, const char *word, const char *value)
{
	char *end;
	unsigned long port;

	if (!strcmp(word, "state")) {
		f->state = value;
		if (value && not_a_state(value))
			return not_a_state(value);
	} else if (!strcmp(word, "addr")) {
		if (value && !take_address(f, value))
			return "not an address";
	} else if (!strcmp(word, "reason")) {
		if (value && !is_known_reason(value))
			return "no such reason, see 'smcx reason' for all";
		f->reason = value;
	} else if (!strcmp(word, "port")) {
		port = value ? strtoul(value, &end, 10) : 0;
		if (value && (*end || !port || port > 65535))
			return "a port is a number from 1 to 65535, not";
		f->port = port;
	} else {
		return "unknown kind of socket or filter";
	}
	return value ? NULL : "a value is missing behind";
}

static int parse(struct filter *f, char **argv)
{
	const char *wrong;

	for (; *argv; argv++) {
		if (!strcmp(*argv, "listen")) {
			f->listen = true;
		} else if (!strcmp(*argv, "smc")) {
			f->smc = true;
		} else if (!strcmp(*argv, "tcp")) {
			f->tcp = true;
		} else {
			wrong = take_filter(f, *argv, argv[1]);
			if (wrong)
				return usage_error(wrong, argv[1] && is_filter(*argv) ? argv[1] : *argv);
			argv++;
		}
	}
	if (!f->listen && !f->smc && !f->tcp)
		f->listen = f->smc = f->tcp = true;
	return EXIT_FINE;
}

static void title(const char *key, const char *text)
{
	struct out_column *c;

	for (c = columns; c->key; c++)
		if (!strcmp(c->key, key))
			c->title = text;
}

int cmd_sock(int argc, char **argv)
{
	struct filter f = { 0 };
	int rc = parse(&f, argv);

	if (rc)
		return rc;
	if (options.processes) {
		title("process", "Process");
		proc_read();
	}
	f.table = out_table_begin(columns);
	nl_diag_dump(1 << (SMCX_DIAG_LGRINFO - 1), on_sock, &f);
	out_table_end(f.table, argc ? "no such sockets" :
		      "no SMC sockets are open: run programs with 'smc_run PROGRAM'; 'smcx stat' counts those of before");
	return EXIT_FINE;
}
