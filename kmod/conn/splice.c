// SPDX-License-Identifier: GPL-2.0
/*
 * splice(2) from a connection: bytes are copied into fresh pages. Handing out pages of
 * the element, as in-tree smc does, would tie the element, its group
 * and the window to a pipe that may outlive the socket and never be read.
 */
#include <linux/gfp.h>
#include <linux/pipe_fs_i.h>
#include <linux/splice.h>

#include "conn_priv.h"

static const struct pipe_buf_operations smcx_splice_ops = {
	.release	= generic_pipe_buf_release,
	.try_steal	= generic_pipe_buf_try_steal,
	.get		= generic_pipe_buf_get,
};

/* Copy the next @n bytes of the span, from byte @from on, to @dst. */
static void splice_copy(const struct smcx_conn *c, const struct smcx_rx_span *span,
			u32 from, u32 n, void *dst)
{
	u32 first = span->piece[0].len, part = 0;

	if (from < first) {
		part = min(n, first - from);
		memcpy(dst, c->rx.rmbe.base + span->piece[0].off + from, part);
		from += part;
	}
	if (part < n)
		memcpy(dst + part, c->rx.rmbe.base + span->piece[1].off + from - first,
		       n - part);
}

/* Return: bytes given to the pipe, or why not a single one. */
static ssize_t splice_span(const struct smcx_conn *c, const struct smcx_rx_span *span,
			   struct pipe_inode_info *pipe)
{
	ssize_t done = 0, rc = 0;

	while (done < span->len) {
		struct pipe_buffer buf = {
			.ops = &smcx_splice_ops,
			.len = min_t(u32, span->len - done, PAGE_SIZE),
		};

		if (pipe_full(pipe->head, pipe->tail, pipe->max_usage)) {
			rc = -EXFULL;
			break;
		}
		buf.page = alloc_page(GFP_KERNEL);
		if (!buf.page) {
			rc = -ENOMEM;
			break;
		}
		splice_copy(c, span, done, buf.len, page_address(buf.page));
		rc = add_to_pipe(pipe, &buf);	/* releases the page if it fails */
		if (rc < 0)
			break;
		done += buf.len;
	}
	return done ? done : rc;
}

ssize_t smcx_conn_splice(struct smcx_conn *c, struct pipe_inode_info *pipe,
			 size_t len, unsigned int flags)
{
	struct smcx_rx_span span;
	ssize_t rc, done = 0;

	if (!len)
		return 0;
	rc = smcx_rx_span(c, len, 0, &span);
	if (span.len) {
		rc = splice_span(c, &span, pipe);
		done = max_t(ssize_t, rc, 0);
	}
	if (done + span.skip)
		smcx_rx_consume(c, done + span.skip);
	if (done) {
		smcx_stat_inc(c->sn, SMCX_CNT_SPLICE);
		smcx_stat_add(c->sn, SMCX_CNT_RX_BYTES, done);
	}
	return rc;
}
