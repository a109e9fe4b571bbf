// SPDX-License-Identifier: GPL-2.0
/* smcx sock: every socket, what carries it, and why not SMC. */
#include <arpa/inet.h>
#include <linux/smcx_abi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "close.h"
#include "nl.h"
#include "out.h"
#include "reason.h"
#include "smcx.h"

static const struct out_column columns[] = {
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
	{ "reason", "Reason", false },
	{ "reason_code", NULL, false },
	{ "reason_text", "why not SMC", true },
	{ "peer_reason", NULL, false },
	{ "peer_reason_code", NULL, false },
	{ "peer_reason_text", "the peer's reason", true },
	{ "link", NULL, false },
	{ "gid", NULL, false },
	{ "peer_gid", NULL, false },
	{ "uid", NULL, false },
	{ "inode", NULL, false },
	{ NULL, NULL, false },
};

struct filter {
	struct out_table	*table;
	bool			listen;
	bool			smc;
	bool			tcp;
};

/* In-tree smc tells IPv4 from IPv6 by nothing but the words that are not zero. */
static bool is_ipv4(const struct inet_diag_sockid *id)
{
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
}

static void show_fallback(struct out_table *t, const struct smcx_diag_fallback *fb)
{
	if (!fb || !fb->reason)
		return;
	out_str(t, "reason", "%s", smcx_reason_name(fb->reason));
	out_str(t, "reason_code", "0x%08x", fb->reason);
	out_str(t, "reason_text", "%s", smcx_reason_text(fb->reason));
	if (!fb->peer_diagnosis)
		return;
	out_str(t, "peer_reason", "%s", smcx_reason_name(fb->peer_diagnosis));
	out_str(t, "peer_reason_code", "0x%08x", fb->peer_diagnosis);
	out_str(t, "peer_reason_text", "%s: %s", smcx_reason_name(fb->peer_diagnosis),
		smcx_reason_text(fb->peer_diagnosis));
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

static bool is_wanted(const struct filter *f, const struct smcx_diag_msg *msg)
{
	if (msg->state == SMCX_ST_LISTEN)
		return f->listen;
	return msg->mode == SMCX_DIAG_MODE_TCP ? f->tcp : f->smc;
}

static void on_sock(const struct nlmsghdr *nlh, void *arg)
{
	const struct smcx_diag_msg *msg = mnl_nlmsg_get_payload(nlh);
	const struct filter *f = arg;
	struct out_table *t = f->table;
	struct nl_attrs attrs;
	bool ipv4;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*msg) || !is_wanted(f, msg))
		return;
	nl_msg_attrs(nlh, sizeof(*msg), &attrs);
	ipv4 = is_ipv4(&msg->id);
	out_row(t);
	out_str(t, "state", "%s", smcx_state_name(msg->state));
	show_carrier(t, msg);
	show_end(t, "local", msg->id.idiag_src, ipv4, ntohs(msg->id.idiag_sport));
	show_end(t, "peer", msg->id.idiag_dst, ipv4, ntohs(msg->id.idiag_dport));
	out_num(t, "uid", msg->uid);
	out_num(t, "inode", msg->inode);
	if (msg->mode == SMCX_DIAG_MODE_TCP)
		show_fallback(t, nl_data(&attrs, SMCX_DIAG_FALLBACK,
					 sizeof(struct smcx_diag_fallback)));
	show_group(t, nl_data(&attrs, SMCX_DIAG_LGRINFO, sizeof(struct smcx_diag_lgrinfo)));
}

int cmd_sock(int argc, char **argv)
{
	struct filter f = { .listen = !argc, .smc = !argc, .tcp = !argc };

	for (; *argv; argv++) {
		if (!strcmp(*argv, "listen"))
			f.listen = true;
		else if (!strcmp(*argv, "smc"))
			f.smc = true;
		else if (!strcmp(*argv, "tcp"))
			f.tcp = true;
		else
			return usage_error("unknown kind of socket", *argv);
	}
	f.table = out_table_begin(columns);
	nl_diag_dump(1 << (SMCX_DIAG_LGRINFO - 1), on_sock, &f);
	out_table_end(f.table, "no such sockets");
	return EXIT_FINE;
}
