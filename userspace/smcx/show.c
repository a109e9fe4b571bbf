// SPDX-License-Identifier: GPL-2.0
/*
 * Messages as lines of text or JSON objects, fields named as in RFC 7609 appendix A (and, for version 2, in the
 * words of protocol.rst). See decode.h.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "cdc.h"
#include "clc.h"
#include "decode.h"
#include "llc.h"
#include "out.h"
#include "reason.h"
#include "rmbe.h"

#define FIELDS		40
#define VALUE_LEN	(SMCX_CLC_EIDS_MAX * (INET6_ADDRSTRLEN + 8))
#define RAW_SHOWN	32	/* bytes of what cannot be read */

unsigned int decode_layers = LAYER_ALL;

struct field {
	const char	*name;
	bool		is_number;
	char		value[VALUE_LEN];
};

/* The line being made. */
static struct {
	const struct packet	*from;
	const char		*layer;
	const char		*message;
	unsigned int		n;
	struct field		fields[FIELDS];
} line;

static unsigned long lines;
static uint64_t first_usec;
static bool has_first;

void decode_begin(void)
{
	lines = 0;
	has_first = false;
	if (out_json)
		putchar('[');
}

unsigned long decode_end(void)
{
	if (out_json)
		fputs(lines ? "\n]\n" : "]\n", stdout);
	return lines;
}

static void begin(const struct packet *from, const char *layer, const char *message)
{
	line.from = from;
	line.layer = layer;
	line.message = message;
	line.n = 0;
}

static char *next_value(const char *name, bool is_number)
{
	struct field *f = &line.fields[line.n];

	/* the last one is overwritten when a message has more fields than anybody knows */
	if (line.n < FIELDS - 1)
		line.n++;
	f->name = name;
	f->is_number = is_number;
	f->value[0] = '\0';
	return f->value;
}

static void num(const char *name, uint64_t value)
{
	snprintf(next_value(name, true), VALUE_LEN, "%" PRIu64, value);
}

static void text(const char *name, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void text(const char *name, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(next_value(name, false), VALUE_LEN, fmt, args);
	va_end(args);
}

static void bytes(const char *name, const u8 *from, size_t n)
{
	char *to = next_value(name, false);
	size_t i;

	for (i = 0; i < n && i < VALUE_LEN / 2 - 1; i++)
		sprintf(to + 2 * i, "%02x", from[i]);
}

static void mac(const char *name, const u8 m[6])
{
	text(name, "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4], m[5]);
}

static const char *gid_text(const u8 *gid)
{
	static char buf[INET6_ADDRSTRLEN];

	return inet_ntop(AF_INET6, gid, buf, sizeof(buf));
}

static void gid(const char *name, const u8 *g)
{
	text(name, "%s", gid_text(g));
}

/* Names are blank padded; what is not printable is nobody's name. */
static void name_in(char *to, size_t cap, const u8 *from, size_t n)
{
	size_t i;

	while (n && (from[n - 1] == ' ' || !from[n - 1]))
		n--;
	for (i = 0; i < n && i + 1 < cap; i++)
		to[i] = from[i] > ' ' && from[i] <= '~' ? (char)from[i] : '?';
	to[i] = '\0';
}

static void name(const char *key, const u8 *from, size_t n)
{
	name_in(next_value(key, false), VALUE_LEN, from, n);
}

static void names(const char *key, const u8 *from, size_t each, unsigned int n)
{
	char *to = next_value(key, false);
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (i)
			to[len++] = ',';
		name_in(to + len, VALUE_LEN - len, from + i * each, each);
		len += strlen(to + len);
	}
}

static void gids(const char *key, const u8 (*from)[16], unsigned int n)
{
	char *to = next_value(key, false);
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < n && len < VALUE_LEN; i++)
		len += (size_t)snprintf(to + len, VALUE_LEN - len, "%s%s", i ? "," : "", gid_text(from[i]));
}

/* Letters of the bits that are set, "-" if none is. */
static void flags(const char *key, u8 value, const char *letters)
{
	char *to = next_value(key, false), *at = to;
	int bit;

	for (bit = 0; letters[bit]; bit++)
		if (value & 0x80 >> bit && letters[bit] != ' ')
			*at++ = letters[bit];
	if (at == to)
		*at++ = '-';
	*at = '\0';
}

static void end_text(char *to, size_t cap, const u8 *addr, uint16_t port)
{
	char buf[INET6_ADDRSTRLEN];

	inet_ntop(line.from->family, addr, buf, sizeof(buf));
	if (!port)
		snprintf(to, cap, "%s", buf);
	else if (line.from->family == AF_INET6)
		snprintf(to, cap, "[%s]:%u", buf, port);
	else
		snprintf(to, cap, "%s:%u", buf, port);
}

static void print_text(const char *src, const char *dst)
{
	unsigned int i;

	if (line.from->family) {
		uint64_t t = line.from->usec - first_usec;

		/* clocks that were set back make large numbers, not wrong ones */
		printf("%" PRIu64 ".%06" PRIu64 " %s > %s ", t / 1000000, t % 1000000, src, dst);
	}
	printf("%s %s", line.layer, line.message);
	for (i = 0; i < line.n; i++)
		if (line.fields[i].value[0])
			printf(strchr(line.fields[i].value, ' ') ? " %s=\"%s\"" : " %s=%s", line.fields[i].name,
			       line.fields[i].value);
	putchar('\n');
}

static void print_pair(const char *key, const char *value, bool is_number)
{
	fputs(", ", stdout);
	out_json_str(stdout, key);
	fputs(": ", stdout);
	if (is_number)
		fputs(value, stdout);
	else
		out_json_str(stdout, value);
}

static void print_json(const char *src, const char *dst)
{
	unsigned int i;

	fputs(lines ? ",\n  {\"layer\": " : "\n  {\"layer\": ", stdout);
	out_json_str(stdout, line.layer);
	print_pair("message", line.message, false);
	if (line.from->family) {
		printf(", \"time\": %" PRIu64 ".%06" PRIu64, line.from->usec / 1000000,
		       line.from->usec % 1000000);
		print_pair("source", src, false);
		print_pair("destination", dst, false);
	}
	for (i = 0; i < line.n; i++)
		print_pair(line.fields[i].name, line.fields[i].value, line.fields[i].is_number);
	putchar('}');
}

static void finish(enum layer layer)
{
	char src[INET6_ADDRSTRLEN + 8] = "", dst[INET6_ADDRSTRLEN + 8] = "";

	if (!(decode_layers & layer))
		return;
	if (line.from->family) {
		end_text(src, sizeof(src), line.from->src, line.from->sport);
		end_text(dst, sizeof(dst), line.from->dst, line.from->dport);
	}
	if (!has_first) {
		first_usec = line.from->usec;
		has_first = true;
	}
	if (out_json)
		print_json(src, dst);
	else
		print_text(src, dst);
	lines++;
}

static void malformed(size_t len, const u8 *buf)
{
	text("malformed", "yes");
	num("length", len);
	bytes("bytes", buf, len < RAW_SHOWN ? len : RAW_SHOWN);
}

void show_syn(const struct packet *p, bool is_ack, bool has_option, size_t data_len)
{
	begin(p, "TCP", is_ack ? "SYN-ACK" : "SYN");
	text("smc_option", has_option ? "yes" : "no");
	if (data_len)
		num("data", data_len);
	finish(LAYER_TCP);
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
		text("ipv4_prefix", "%s/%u", buf, m->v4_len);
		return;
	}
	to = next_value("ipv6_prefixes", false);
	for (i = 0; i < m->n_v6 && len < VALUE_LEN; i++)
		len += (size_t)snprintf(to + len, VALUE_LEN - len, "%s%s/%u", i ? "," : "",
					gid_text(m->v6[i]), m->v6[i][16]);
}

static void limits(u8 release, u8 max_conns, u8 max_links, u16 features)
{
	text("release", "2.%u", release);
	if (!release)
		return;
	num("max_conns", max_conns);
	num("max_links", max_links);
	text("features", "0x%04x", features);
}

static void proposal(const struct packet *p, const u8 *buf, size_t len)
{
	static struct smcx_clc_proposal m;

	begin(p, "CLC", "Proposal");
	if (smcx_clc_decode_proposal(buf, len, &m)) {
		malformed(len, buf);
		return;
	}
	num("version", m.version);
	text("v1_type", "%s", transport_name(m.typev1));
	text("v2_type", "%s", transport_name(m.typev2));
	bytes("peer_id", m.peer_id, sizeof(m.peer_id));
	gid("gid", m.gid_v1);
	mac("mac", m.mac);
	prefixes(&m);
	if (!m.has_v2)
		return;
	limits(m.v2.release, m.v2.max_conns, m.v2.max_links, m.v2.features);
	gid("v2_gid", m.v2.gid);
	names("eids", m.v2.eids[0], SMCX_EID_LEN, m.v2.n_eids);
	if (m.v2.has_seid)
		text("seid", "yes");
}

static void first_contact(const struct smcx_clc_accept *m)
{
	text("os", "%s", os_name(m->fce.os));
	limits(m->fce.release, m->fce.max_conns, m->fce.max_links, m->fce.features);
	text("direct", m->fce.v2_direct ? "yes" : "no");
	name("host", m->fce.host, sizeof(m->fce.host));
	if (m->n_gids)
		gids("gids", (const u8 (*)[16])m->gids, m->n_gids);
}

static void accept_confirm(const struct packet *p, const u8 *buf, size_t len)
{
	static struct smcx_clc_accept m;

	begin(p, "CLC", buf[4] == SMCX_CLC_CONFIRM ? "Confirm" : "Accept");
	if (smcx_clc_decode_accept(buf, len, &m)) {
		malformed(len, buf);
		return;
	}
	num("version", m.version);
	text("first_contact", m.first_contact ? "yes" : "no");
	text("type", m.is_smcd ? "D" : "R");
	if (m.is_smcd)
		return;
	bytes("peer_id", m.peer_id, sizeof(m.peer_id));
	gid("gid", m.gid);
	mac("mac", m.mac);
	num("qp_number", m.qpn);
	num("psn", m.psn);
	text("rmb_rkey", "0x%08x", m.rkey);
	text("rmb_vaddr", "0x%" PRIx64, m.rmb_addr);
	num("rmbe_index", m.rmbe_idx);
	num("rmbe_size", smcx_rmbe_size(m.rmbe_code));
	text("alert_token", "0x%08x", m.token);
	num("mtu", m.mtu >= 1 && m.mtu <= 5 ? 128u << m.mtu : 0);
	if (m.version < 2)
		return;
	name("eid", m.eid, sizeof(m.eid));
	if (m.first_contact)
		first_contact(&m);
}

static void decline(const struct packet *p, const u8 *buf, size_t len)
{
	struct smcx_clc_decline m;

	begin(p, "CLC", "Decline");
	if (smcx_clc_decode_decline(buf, len, &m)) {
		malformed(len, buf);
		return;
	}
	num("version", m.version);
	text("out_of_sync", m.out_of_sync ? "yes" : "no");
	bytes("peer_id", m.peer_id, sizeof(m.peer_id));
	text("diagnosis", "0x%08x", m.diagnosis);
	text("reason", "%s", smcx_reason_name(m.diagnosis));
	if (m.version > 1)
		text("os", "%s", os_name(m.os));
}

void show_clc(const struct packet *p, const u8 *buf, size_t len, bool in_syn)
{
	struct smcx_clc_hdr h;

	if (smcx_clc_decode_hdr(buf, len, &h))
		return;
	if (h.type == SMCX_CLC_PROPOSAL)
		proposal(p, buf, len);
	else if (h.type == SMCX_CLC_DECLINE)
		decline(p, buf, len);
	else
		accept_confirm(p, buf, len);
	if (in_syn)
		text("in_syn", "yes");
	finish(LAYER_CLC);
}

/* ---- LLC ---- */

static const char *llc_name(u8 type)
{
	static const char *const all[] = {
		[SMCX_LLC_CONFIRM_LINK] = "CONFIRM_LINK",
		[SMCX_LLC_ADD_LINK] = "ADD_LINK",
		[SMCX_LLC_ADD_LINK_CONT] = "ADD_LINK_CONTINUATION",
		[SMCX_LLC_DELETE_LINK] = "DELETE_LINK",
		[SMCX_LLC_REQ_ADD_LINK] = "REQUEST_ADD_LINK",
		[SMCX_LLC_CONFIRM_RKEY] = "CONFIRM_RKEY",
		[SMCX_LLC_TEST_LINK] = "TEST_LINK",
		[SMCX_LLC_CONFIRM_RKEY_CONT] = "CONFIRM_RKEY_CONTINUATION",
		[SMCX_LLC_DELETE_RKEY] = "DELETE_RKEY",
	};

	return type < sizeof(all) / sizeof(all[0]) && all[type] ? all[type] : "unknown";
}

static void triple(unsigned int i, const struct smcx_llc_triple *t)
{
	static const char *const keys[] = { "rkey_1", "rkey_2", "rkey_3", "rkey_4" };

	if (i < sizeof(keys) / sizeof(keys[0]))
		text(keys[i], "0x%08x->0x%08x@0x%" PRIx64, t->rkey, t->rkey_new, t->addr_new);
}

static void confirm_link(const struct smcx_llc_confirm_link *m)
{
	mac("mac", m->mac);
	gid("gid", m->gid);
	num("qp_number", m->qpn);
	num("link_number", m->link_id);
	text("link_user_id", "0x%08x", m->link_uid);
	num("max_links", m->max_links);
	num("max_conns", m->max_conns);
}

static void add_link(const struct smcx_llc_add_link *m, u8 f)
{
	struct smcx_llc_triple t;
	unsigned int i;

	text("rejected", f & SMCX_LLC_F_REJECT ? "yes" : "no");
	if (m->reject_reason)
		num("reason", m->reject_reason);
	mac("mac", m->mac);
	gid("gid", m->gid);
	num("qp_number", m->qpn);
	num("link_number", m->link_id);
	num("mtu", m->mtu >= 1 && m->mtu <= 5 ? 128u << m->mtu : 0);
	num("psn", m->psn);
	if (!m->has_ext)
		return;
	text("direct", m->v2_direct ? "yes" : "no");
	gid("target_gid", m->target_gid);
	num("rkeys", m->n_triples);
	for (i = 0; !smcx_llc_get_triple(m, i, &t); i++)
		triple(i, &t);
}

static void add_link_cont(const struct smcx_llc_add_link_cont *m)
{
	unsigned int i;

	num("link_number", m->link_id);
	num("rkeys_left", m->n_left);
	for (i = 0; i < m->n_left && i < SMCX_LLC_CONT_TRIPLES_MAX; i++)
		triple(i, &m->triples[i]);
}

static void delete_link(const struct smcx_llc_delete_link *m, u8 f)
{
	text("all", f & SMCX_LLC_F_DEL_ALL ? "yes" : "no");
	text("orderly", f & SMCX_LLC_F_DEL_ORDERLY ? "yes" : "no");
	num("link_number", m->link_id);
	text("reason", "0x%08x", m->reason);
}

static void confirm_rkey(const struct smcx_llc_confirm_rkey *m, u8 f)
{
	static const char *const keys[] = { "other_1", "other_2" };
	unsigned int i;

	if (f & SMCX_LLC_F_RKEY_NEG)
		text("negative", f & SMCX_LLC_F_RKEY_RETRY ? "retry" : "yes");
	text("rmb_rkey", "0x%08x", m->own.rkey);
	text("rmb_vaddr", "0x%" PRIx64, m->own.addr);
	num("others", m->n_more);
	for (i = 0; i < m->n_more && i < SMCX_LLC_RKEY_MORE_MAX; i++)
		text(keys[i], "%u:0x%08x@0x%" PRIx64, m->more[i].link_id, m->more[i].rkey,
		     m->more[i].addr);
}

static void delete_rkey(const struct smcx_llc_delete_rkey *m, const struct smcx_llc_msg *msg)
{
	char *to;
	size_t len = 0;
	unsigned int i;

	if (msg->flags & SMCX_LLC_F_RKEY_NEG) {
		text("negative", "yes");
		text("error", "0x%02x", m->err);
	}
	num("count", m->n_rkeys);
	/* answers of version 2 carry the number only */
	if (msg->version > 1 && smcx_llc_is_response(msg))
		return;
	to = next_value("rmb_rkeys", false);
	for (i = 0; i < m->n_rkeys && i < SMCX_LLC_DEL_RKEYS_MAX && len + 16 < VALUE_LEN; i++)
		len += (size_t)sprintf(to + len, "%s0x%08x", i ? "," : "", m->rkeys[i]);
}

static void llc_body(const struct smcx_llc_msg *m)
{
	switch (m->type) {
	case SMCX_LLC_CONFIRM_LINK:
		confirm_link(&m->confirm_link);
		break;
	case SMCX_LLC_ADD_LINK:
		add_link(&m->add_link, m->flags);
		break;
	case SMCX_LLC_ADD_LINK_CONT:
		add_link_cont(&m->add_link_cont);
		break;
	case SMCX_LLC_DELETE_LINK:
		delete_link(&m->delete_link, m->flags);
		break;
	case SMCX_LLC_REQ_ADD_LINK:
		gids("gids", (const u8 (*)[16])m->req_add_link.gids,
		     m->req_add_link.n_gids < SMCX_LLC_GIDS_MAX ? m->req_add_link.n_gids : SMCX_LLC_GIDS_MAX);
		break;
	case SMCX_LLC_CONFIRM_RKEY:
		confirm_rkey(&m->confirm_rkey, m->flags);
		break;
	case SMCX_LLC_TEST_LINK:
		bytes("user_data", m->test_link.user_data, sizeof(m->test_link.user_data));
		break;
	case SMCX_LLC_DELETE_RKEY:
		delete_rkey(&m->delete_rkey, m);
		break;
	}
}

static void llc(const struct packet *p, u32 qpn, const u8 *buf, size_t len)
{
	static struct smcx_llc_msg m;
	int rc = smcx_llc_decode(buf, len, &m);

	begin(p, "LLC", llc_name(buf[0] & 15));
	if (p->family)
		num("dest_qp", qpn);
	if (rc == -ENOMSG) {
		line.layer = "RDMA";
		line.message = "SEND";
		num("length", len);
		bytes("bytes", buf, len < RAW_SHOWN ? len : RAW_SHOWN);
		finish(LAYER_RDMA);
		return;
	}
	if (rc) {
		malformed(len, buf);
		finish(LAYER_LLC);
		return;
	}
	num("version", m.version);
	text("kind", smcx_llc_is_response(&m) ? "response" : "request");
	llc_body(&m);
	finish(LAYER_LLC);
}

/* ---- CDC, RDMA ---- */

static void cdc(const struct packet *p, u32 qpn, const u8 *buf, size_t len)
{
	struct smcx_cdc_msg m;

	begin(p, "CDC", "message");
	if (p->family)
		num("dest_qp", qpn);
	if (smcx_cdc_decode(buf, len, &m)) {
		malformed(len, buf);
		finish(LAYER_CDC);
		return;
	}
	num("sequence", m.seqno);
	text("alert_token", "0x%08x", m.token);
	num("prod_wrap", m.prod.wrap);
	num("prod_cursor", m.prod.off);
	num("cons_wrap", m.cons.wrap);
	num("cons_cursor", m.cons.off);
	/* the letters of RFC 7609 */
	flags("prod_flags", m.prod_flags, "BPURF");
	flags("state_flags", m.state_flags, "DCA");
	finish(LAYER_CDC);
}

void show_send(const struct packet *p, u32 qpn, const u8 *buf, size_t len)
{
	if (!len)
		return;
	if (smcx_llc_is_cdc(buf, len))
		cdc(p, qpn, buf, len);
	else
		llc(p, qpn, buf, len);
}

void show_rdma(const struct packet *p, const struct rdma_op *op)
{
	begin(p, "RDMA", op->name);
	num("dest_qp", op->qpn);
	num("psn", op->psn);
	num("length", op->len);
	if (op->has_reth) {
		text("rmb_rkey", "0x%08x", op->rkey);
		text("rmb_vaddr", "0x%" PRIx64, op->vaddr);
		num("total", op->total);
	}
	if (op->has_imm)
		text("immediate", "0x%08x", op->imm);
	finish(LAYER_RDMA);
}
