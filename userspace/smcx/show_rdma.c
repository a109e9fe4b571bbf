// SPDX-License-Identifier: GPL-2.0
/* LLC and CDC messages, other RDMA operations; names as in show.c. See decode.h. */
#include <inttypes.h>
#include <stdio.h>

#include "cdc.h"
#include "decode.h"
#include "line.h"
#include "llc.h"

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
		line_text(keys[i], "0x%08x->0x%08x@0x%" PRIx64, t->rkey, t->rkey_new, t->addr_new);
}

static void confirm_link(const struct smcx_llc_confirm_link *m)
{
	line_mac("mac", m->mac);
	line_gid("gid", m->gid);
	line_num("qp_number", m->qpn);
	line_num("link_number", m->link_id);
	line_text("link_user_id", "0x%08x", m->link_uid);
	line_num("max_links", m->max_links);
	line_num("max_conns", m->max_conns);
}

static void add_link(const struct smcx_llc_add_link *m, u8 f)
{
	struct smcx_llc_triple t;
	unsigned int i;

	line_text("rejected", f & SMCX_LLC_F_REJECT ? "yes" : "no");
	if (m->reject_reason)
		line_num("reason", m->reject_reason);
	line_mac("mac", m->mac);
	line_gid("gid", m->gid);
	line_num("qp_number", m->qpn);
	line_num("link_number", m->link_id);
	line_num("mtu", m->mtu >= 1 && m->mtu <= 5 ? 128u << m->mtu : 0);
	line_num("psn", m->psn);
	if (!m->has_ext)
		return;
	line_text("direct", m->v2_direct ? "yes" : "no");
	line_gid("target_gid", m->target_gid);
	line_num("rkeys", m->n_triples);
	for (i = 0; !smcx_llc_get_triple(m, i, &t); i++)
		triple(i, &t);
}

static void add_link_cont(const struct smcx_llc_add_link_cont *m)
{
	unsigned int i;

	line_num("link_number", m->link_id);
	line_num("rkeys_left", m->n_left);
	for (i = 0; i < m->n_left && i < SMCX_LLC_CONT_TRIPLES_MAX; i++)
		triple(i, &m->triples[i]);
}

static void delete_link(const struct smcx_llc_delete_link *m, u8 f)
{
	line_text("all", f & SMCX_LLC_F_DEL_ALL ? "yes" : "no");
	line_text("orderly", f & SMCX_LLC_F_DEL_ORDERLY ? "yes" : "no");
	line_num("link_number", m->link_id);
	line_text("reason", "0x%08x", m->reason);
}

static void confirm_rkey(const struct smcx_llc_confirm_rkey *m, u8 f)
{
	static const char *const keys[] = { "other_1", "other_2" };
	unsigned int i;

	if (f & SMCX_LLC_F_RKEY_NEG)
		line_text("negative", f & SMCX_LLC_F_RKEY_RETRY ? "retry" : "yes");
	line_text("rmb_rkey", "0x%08x", m->own.rkey);
	line_text("rmb_vaddr", "0x%" PRIx64, m->own.addr);
	line_num("others", m->n_more);
	for (i = 0; i < m->n_more && i < SMCX_LLC_RKEY_MORE_MAX; i++)
		line_text(keys[i], "%u:0x%08x@0x%" PRIx64, m->more[i].link_id, m->more[i].rkey,
		     m->more[i].addr);
}

static void delete_rkey(const struct smcx_llc_delete_rkey *m, const struct smcx_llc_msg *msg)
{
	char *to;
	size_t len = 0;
	unsigned int i;
	u32 rkey;

	if (msg->flags & SMCX_LLC_F_RKEY_NEG) {
		line_text("negative", "yes");
		line_text("error", "0x%02x", m->err);
	}
	line_num("count", m->n_rkeys);
	/* answers of version 2 carry the number only */
	if (msg->version > 1 && smcx_llc_is_response(msg))
		return;
	to = line_value("rmb_rkeys", false);
	for (i = 0; len + 16 < LINE_VALUE_LEN && !smcx_llc_get_rkey(m, i, &rkey); i++)
		len += (size_t)sprintf(to + len, "%s0x%08x", i ? "," : "", rkey);
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
		line_gids("gids", (const u8 (*)[16])m->req_add_link.gids,
		     m->req_add_link.n_gids < SMCX_LLC_GIDS_MAX ? m->req_add_link.n_gids : SMCX_LLC_GIDS_MAX);
		break;
	case SMCX_LLC_CONFIRM_RKEY:
		confirm_rkey(&m->confirm_rkey, m->flags);
		break;
	case SMCX_LLC_TEST_LINK:
		line_bytes("user_data", m->test_link.user_data, sizeof(m->test_link.user_data));
		break;
	case SMCX_LLC_DELETE_RKEY:
		delete_rkey(&m->delete_rkey, m);
		break;
	}
}

static void begin(const struct packet *p, const char *layer, const char *message, u32 qpn)
{
	line_begin(p, layer, message);
	if (p->family)
		line_num("dest_qp", qpn);
}

static void foreign(const struct packet *p, u32 qpn, const u8 *buf, size_t len, size_t whole)
{
	begin(p, "RDMA", "SEND", qpn);
	line_truncated(len < whole);
	line_raw(buf, len, whole);
	line_finish(LAYER_RDMA);
}

static void llc(const struct packet *p, u32 qpn, const u8 *buf, size_t len, size_t whole)
{
	static struct smcx_llc_msg m;
	int rc = len ? smcx_llc_decode(buf, len, &m) : -ENOMSG;

	if (rc == -ENOMSG) {
		foreign(p, qpn, buf, len, whole);
		return;
	}
	begin(p, "LLC", llc_name(buf[0] & 15), qpn);
	if (rc) {
		line_malformed(buf, len, whole);
		line_finish(LAYER_LLC);
		return;
	}
	line_num("version", m.version);
	line_text("kind", smcx_llc_is_response(&m) ? "response" : "request");
	llc_body(&m);
	line_truncated(len < whole);
	line_finish(LAYER_LLC);
}

/* ---- CDC, RDMA ---- */

static void cdc(const struct packet *p, u32 qpn, const u8 *buf, size_t len, size_t whole)
{
	struct smcx_cdc_msg m;

	begin(p, "CDC", "message", qpn);
	if (smcx_cdc_decode(buf, len, &m)) {
		line_malformed(buf, len, whole);
		line_finish(LAYER_CDC);
		return;
	}
	line_num("sequence", m.seqno);
	line_text("alert_token", "0x%08x", m.token);
	line_num("prod_wrap", m.prod.wrap);
	line_num("prod_cursor", m.prod.off);
	line_num("cons_wrap", m.cons.wrap);
	line_num("cons_cursor", m.cons.off);
	/* the letters of RFC 7609 */
	line_flags("prod_flags", m.prod_flags, "BPURF");
	line_flags("state_flags", m.state_flags, "DCA");
	if (smcx_cdc_data_len(whole) > 0)
		line_num("data", smcx_cdc_data_len(whole));
	line_truncated(len < whole);
	line_finish(LAYER_CDC);
}

void show_send(const struct packet *p, u32 qpn, const u8 *buf, size_t len, size_t whole)
{
	if (!whole)
		return;
	if (smcx_llc_is_cdc(buf, len))
		cdc(p, qpn, buf, len, whole);
	else
		llc(p, qpn, buf, len, whole);
}

void show_rdma(const struct packet *p, const struct rdma_op *op)
{
	line_begin(p, "RDMA", op->name);
	line_num("dest_qp", op->qpn);
	line_num("psn", op->psn);
	line_num("length", op->len);
	if (op->has_reth) {
		line_text("rmb_rkey", "0x%08x", op->rkey);
		line_text("rmb_vaddr", "0x%" PRIx64, op->vaddr);
		line_num("total", op->total);
	}
	if (op->has_imm)
		line_text("immediate", "0x%08x", op->imm);
	line_truncated(op->truncated);
	line_finish(LAYER_RDMA);
}
