// SPDX-License-Identifier: GPL-2.0
/* Messages as hexadecimal digits, an empty line between blocks. See decode.h. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "cdc.h"
#include "clc.h"
#include "decode.h"
#include "llc.h"
#include "wire.h"

#define TEXT_MAX	65536	/* bytes of one block of text */

static const struct packet nowhere;

/*
 * The length in an LLC message of version 2, in whichever byte order it fits; 0 if in none. If it does in both, the
 * shorter is meant: 2C 00 is 44, in many messages of a block.
 */
static size_t v2_len(const u8 *buf, size_t len)
{
	size_t a = smcx_get16(buf + 1), b = (size_t)buf[2] << 8 | buf[1];
	size_t n = a < b ? a : b;

	if (n < SMCX_LLC_LEN)
		n = a < b ? b : a;
	return n >= SMCX_LLC_LEN && n <= len ? n : 0;
}

/* Does a message begin here? */
static bool is_message(const u8 *buf, size_t len)
{
	if (smcx_clc_peek_len(buf, len) > 0)
		return true;
	if (len < SMCX_LLC_LEN)
		return false;
	if (buf[0] >> 4 == 2)
		return v2_len(buf, len);
	return (buf[0] == SMCX_CDC_TYPE || (buf[0] && buf[0] <= SMCX_LLC_DELETE_RKEY)) && buf[1] == SMCX_LLC_LEN;
}

static bool may_be_long(u8 type)
{
	return type == SMCX_LLC_ADD_LINK || type == SMCX_LLC_REQ_ADD_LINK || type == SMCX_LLC_DELETE_RKEY;
}

/* How much of it was one SEND, most likely; @len: to the end of the block. */
static size_t send_len(const u8 *buf, size_t len)
{
	size_t n;

	if (len <= SMCX_LLC_LEN)
		return len;
	if (buf[0] == SMCX_CDC_TYPE)
		/* what begins no message is data (one-rtt.rst, DATA) */
		return is_message(buf + SMCX_LLC_LEN, len - SMCX_LLC_LEN) ? SMCX_LLC_LEN : len;
	if (buf[0] >> 4 != 2)
		return buf[0] < 0x20 ? SMCX_LLC_LEN : len;
	n = v2_len(buf, len);
	if (n)
		return n;
	/* the numbers of entries will not do instead: Linux counts entries that it does not send */
	return may_be_long(buf[0] & 15) ? len : SMCX_LLC_LEN;
}

/* Messages one behind the other, as a stream or a log has them. */
static void decode_block(const u8 *buf, size_t len)
{
	while (len) {
		int clc = smcx_clc_peek_len(buf, len);
		size_t n, shown;

		if (clc > 0) {
			n = (size_t)clc < len ? (size_t)clc : len;
			show_clc(&nowhere, buf, n < SMCX_CLC_BUF_LEN ? n : SMCX_CLC_BUF_LEN, false);
		} else {
			n = send_len(buf, len);
			shown = n < SMCX_LLC_LEN_MAX ? n : SMCX_LLC_LEN_MAX;
			show_send(&nowhere, 0, buf, shown, shown);
		}
		buf += n;
		len -= n;
	}
}

struct block {
	u8		*buf;
	size_t		len;
	int		half;	/* upper digit, -1 if none */
	bool		blank;	/* nothing in this line so far */
};

static void block_end(struct block *b)
{
	decode_block(b->buf, b->len);
	b->len = 0;
}

static bool block_digit(struct block *b, int c)
{
	int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;

	b->blank = false;
	if (b->half < 0) {
		b->half = digit;
		return true;
	}
	if (b->len == TEXT_MAX)
		return false;
	b->buf[b->len++] = (u8)(b->half << 4 | digit);
	b->half = -1;
	return true;
}

/* Returns false if @c has no place here. */
static bool block_char(struct block *b, int c)
{
	if (c == '\n') {
		if (b->blank)
			block_end(b);
		b->blank = true;
		return b->half < 0;
	}
	if (isxdigit(c))
		return block_digit(b, c);
	/* "0x" before a number */
	if (c == 'x' && b->half == 0) {
		b->half = -1;
		return true;
	}
	return isspace(c) || c == ':' || c == ',' || c == '-';
}

unsigned long decode_text(int (*read)(void *arg), void *arg)
{
	struct block b = { .buf = malloc(TEXT_MAX), .half = -1, .blank = true };
	unsigned long number = 1;
	bool comment = false;
	int c;

	if (!b.buf)
		return number;
	while ((c = read(arg)) != EOF) {
		if (c == '#') {
			comment = true;
			b.blank = false;
		} else if (c == '\n') {
			comment = false;
		}
		if (!comment && !block_char(&b, c))
			break;
		number += c == '\n';
	}
	if (c == EOF && b.half < 0)
		number = 0;
	if (!number)
		block_end(&b);
	free(b.buf);
	return number;
}
