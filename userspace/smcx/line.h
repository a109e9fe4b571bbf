/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_LINE_H
#define SMCX_LINE_H

#include <netinet/in.h>

#include "clc.h"
#include "decode.h"

/**
 * DOC: Lines
 *
 * One line, or JSON object, at a time: line_begin(), a call for each field, line_finish(). Whatever is put in, only
 * printable characters come out.
 */

/* room for a list of as many EIDs or GIDs as a message has */
#define LINE_VALUE_LEN	(SMCX_CLC_EIDS_MAX * (INET6_ADDRSTRLEN + 8))

/** line_begin() - start. @from: packet. @layer: kind. @message: name of the message. */
void line_begin(const struct packet *from, const char *layer, const char *message);
/** line_finish() - print, if lines of this kind are wanted. @layer: kind. */
void line_finish(enum layer layer);

/** line_value() - a field to be filled in place. @name: field. @is_number: unquoted in JSON. Return: LINE_VALUE_LEN bytes, "". */
char *line_value(const char *name, bool is_number);
/** line_num() - number. @name: field. @value: number. */
void line_num(const char *name, uint64_t value);
/** line_text() - text. @name: field. @fmt: as printf(). */
void line_text(const char *name, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/** line_bytes() - hexadecimal digits. @name: field. @from: bytes. @n: how many. */
void line_bytes(const char *name, const u8 *from, size_t n);
/** line_mac() - MAC address. @name: field. @m: address. */
void line_mac(const char *name, const u8 m[6]);
/** line_gid() - GID. @name: field. @g: 16 bytes. */
void line_gid(const char *name, const u8 *g);
/** line_gids() - list of GIDs. @key: field. @from: GIDs. @n: how many. */
void line_gids(const char *key, const u8 (*from)[16], unsigned int n);
/** line_name() - blank-padded name. @key: field. @from: name. @n: its size. */
void line_name(const char *key, const u8 *from, size_t n);
/** line_names() - list of names. @key: field. @from: the first. @each: size of each. @n: how many. */
void line_names(const char *key, const u8 *from, size_t each, unsigned int n);
/** line_flags() - letters of the bits set. @key: field. @value: bits. @letters: from the highest bit down. */
void line_flags(const char *key, u8 value, const char *letters);
/** line_truncated() - says so if not all of it was captured. @truncated: it was not. */
void line_truncated(bool truncated);
/** line_raw() - what cannot be read. @buf: bytes. @len: how many. @whole: how many there were on the wire. */
void line_raw(const u8 *buf, size_t len, size_t whole);
/** line_malformed() - says why it cannot be read, and what it is. @buf, @len, @whole: as line_raw(). */
void line_malformed(const u8 *buf, size_t len, size_t whole);
/** line_gid_text() - in IPv6 notation. @gid: 16 bytes. Return: static text. */
const char *line_gid_text(const u8 *gid);

#endif
