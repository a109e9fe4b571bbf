// SPDX-License-Identifier: GPL-2.0
/* Messages as hexadecimal digits, an empty line between blocks. See decode.h. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "clc.h"
#include "decode.h"
#include "llc.h"

#define TEXT_MAX	65536	/* bytes of one block of text */

static const struct packet nowhere;

/* Messages one behind the other, as a stream or a log has them. */
static void decode_block(const u8 *buf, size_t len)
{
	while (len) {
		int clc = smcx_clc_peek_len(buf, len);
		size_t n = len;

		if (clc > 0) {
			n = (size_t)clc < len ? (size_t)clc : len;
			show_clc(&nowhere, buf, n < SMCX_CLC_BUF_LEN ? n : SMCX_CLC_BUF_LEN, false);
		} else {
			/* version 2 may be longer, and is alone then */
			if (buf[0] == 0xFE || buf[0] < 0x20)
				n = len < SMCX_LLC_LEN ? len : SMCX_LLC_LEN;
			show_send(&nowhere, 0, buf, n < SMCX_LLC_LEN_MAX ? n : SMCX_LLC_LEN_MAX);
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
