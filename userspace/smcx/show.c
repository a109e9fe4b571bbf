// SPDX-License-Identifier: GPL-2.0
/*
 * CLC messages, fields named as in RFC 7609 appendix A (and, for version 2, in the words of protocol.rst). See decode.h.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>

#include "clc.h"
#include "decode.h"
#include "line.h"
#include "reason.h"
#include "rmbe.h"
#include "words.h"

void show_syn(const struct packet *p, bool is_ack, bool has_option, size_t data_len)
{
	line_begin(p, "TCP", is_ack ? "SYN-ACK" : "SYN");
	line_text("smc_option", has_option ? "yes" : "no");
	if (data_len)
		line_num("data", data_len);
	line_finish(LAYER_TCP);
}

/* ---- CLC ---- */

static const char *transport_name(u8 type)
{
	static const char *const all[] = { "R", "D", "none", "R+D" };

	return all[type & 3];
}

static const char *os_name(u8 os)
{
	static const char *const all[] = { "none", "z/OS", "Linux", "AIX" };

	return os < sizeof(all) / sizeof(all[0]) ? all[os] : "unknown";
}

static void prefixes(const struct smcx_clc_proposal *m)
{
	char *to, buf[INET6_ADDRSTRLEN];
	size_t len = 0;
	unsigned int i;

	if (!m->has_ip)
		return;
	if (!m->n_v6) {
		inet_ntop(AF_INET, &m->v4_net, buf, sizeof(buf));
		line_text("ipv4_prefix", "%s/%u", buf, m->v4_len);
		return;
	}
	to = line_value("ipv6_prefixes", false);
	for (i = 0; i < m->n_v6 && len < LINE_VALUE_LEN; i++)
		len += (size_t)snprintf(to + len, LINE_VALUE_LEN - len, "%s%s/%u", i ? "," : "",
					line_gid_text(m->v6[i]), m->v6[i][16]);
}

static void limits(u8 release, u8 max_conns, u8 max_links, u16 features)
{
	line_text("release", "2.%u", release);
	if (!release)
		return;
	line_num("max_conns", max_conns);
	line_num("max_links", max_links);
	line_text("features", "0x%04x", features);
}

static void proposal(const struct packet *p, const u8 *buf, size_t len, size_t whole)
{
	static struct smcx_clc_proposal m;

	line_begin(p, "CLC", "Proposal");
	if (smcx_clc_decode_proposal(buf, len, &m)) {
		line_malformed(buf, len, whole);
		return;
	}
	line_num("version", m.version);
	line_text("v1_type", "%s", transport_name(m.typev1));
	line_text("v2_type", "%s", transport_name(m.typev2));
	line_bytes("peer_id", m.peer_id, sizeof(m.peer_id));
	line_gid("gid", m.gid_v1);
	line_mac("mac", m.mac);
	prefixes(&m);
	if (!m.has_v2)
		return;
	limits(m.v2.release, m.v2.max_conns, m.v2.max_links, m.v2.features);
	line_gid("v2_gid", m.v2.gid);
	line_names("eids", m.v2.eids[0], SMCX_EID_LEN, m.v2.n_eids);
	if (m.v2.has_seid)
		line_text("seid", "yes");
}

static void first_contact(const struct smcx_clc_accept *m)
{
	line_text("os", "%s", os_name(m->fce.os));
	limits(m->fce.release, m->fce.max_conns, m->fce.max_links, m->fce.features);
	line_text("direct", m->fce.v2_direct ? "yes" : "no");
	line_name("host", m->fce.host, sizeof(m->fce.host));
	if (m->n_gids)
		line_gids("gids", (const u8 (*)[16])m->gids, m->n_gids);
}

static void accept_confirm(const struct packet *p, const u8 *buf, size_t len, size_t whole)
{
	static struct smcx_clc_accept m;

	line_begin(p, "CLC", buf[4] == SMCX_CLC_CONFIRM ? "Confirm" : "Accept");
	if (smcx_clc_decode_accept(buf, len, &m)) {
		line_malformed(buf, len, whole);
		return;
	}
	line_num("version", m.version);
	line_text("first_contact", m.first_contact ? "yes" : "no");
	line_text("type", m.is_smcd ? "D" : "R");
	if (m.is_smcd)
		return;
	line_bytes("peer_id", m.peer_id, sizeof(m.peer_id));
	line_gid("gid", m.gid);
	line_mac("mac", m.mac);
	line_num("qp_number", m.qpn);
	line_num("psn", m.psn);
	line_text("rmb_rkey", "0x%08x", m.rkey);
	line_text("rmb_vaddr", "0x%" PRIx64, m.rmb_addr);
	line_num("rmbe_index", m.rmbe_idx);
	line_num("rmbe_size", smcx_rmbe_size(m.rmbe_code));
	line_text("alert_token", "0x%08x", m.token);
	line_num("mtu", m.mtu >= 1 && m.mtu <= 5 ? 128u << m.mtu : 0);
	if (m.version < 2)
		return;
	line_name("eid", m.eid, sizeof(m.eid));
	if (m.first_contact)
		first_contact(&m);
}

static void decline(const struct packet *p, const u8 *buf, size_t len, size_t whole)
{
	struct smcx_clc_decline m;

	line_begin(p, "CLC", "Decline");
	if (smcx_clc_decode_decline(buf, len, &m)) {
		line_malformed(buf, len, whole);
		return;
	}
	line_num("version", m.version);
	line_text("out_of_sync", m.out_of_sync ? "yes" : "no");
	line_bytes("peer_id", m.peer_id, sizeof(m.peer_id));
	line_text("diagnosis", "0x%08x", m.diagnosis);
	line_text("reason", "%s", smcx_reason_name(reason_of_peer(m.diagnosis)));
	if (m.version > 1)
		line_text("os", "%s", os_name(m.os));
}

void show_clc(const struct packet *p, const u8 *buf, size_t len, bool in_syn)
{
	struct smcx_clc_hdr h;
	size_t whole = len;

	if (smcx_clc_decode_hdr(buf, len, &h))
		return;
	/* the codec refuses what is shorter than it says, unless all of interest is there */
	if (len < SMCX_CLC_BUF_LEN)
		whole = h.len;
	if (h.type == SMCX_CLC_PROPOSAL)
		proposal(p, buf, len, whole);
	else if (h.type == SMCX_CLC_DECLINE)
		decline(p, buf, len, whole);
	else
		accept_confirm(p, buf, len, whole);
	if (in_syn)
		line_text("in_syn", "yes");
	line_finish(LAYER_CLC);
}
