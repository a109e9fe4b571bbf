// SPDX-License-Identifier: GPL-2.0
/* Lines of text and JSON objects: see line.h. */
#include "line.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "out.h"

#define FIELDS		40
#define RAW_SHOWN	32	/* bytes of what cannot be read */

unsigned int decode_layers = LAYER_ALL;

struct field {
	const char	*name;
	bool		is_number;
	char		value[LINE_VALUE_LEN];
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

void line_begin(const struct packet *from, const char *layer, const char *message)
{
	line.from = from;
	line.layer = layer;
	line.message = message;
	line.n = 0;
}

char *line_value(const char *name, bool is_number)
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

void line_num(const char *name, uint64_t value)
{
	snprintf(line_value(name, true), LINE_VALUE_LEN, "%" PRIu64, value);
}

void line_text(const char *name, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(line_value(name, false), LINE_VALUE_LEN, fmt, args);
	va_end(args);
}

void line_bytes(const char *name, const u8 *from, size_t n)
{
	char *to = line_value(name, false);
	size_t i;

	for (i = 0; i < n && i < LINE_VALUE_LEN / 2 - 1; i++)
		sprintf(to + 2 * i, "%02x", from[i]);
}

void line_mac(const char *name, const u8 m[6])
{
	line_text(name, "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4], m[5]);
}

const char *line_gid_text(const u8 *gid)
{
	static char buf[INET6_ADDRSTRLEN];

	return inet_ntop(AF_INET6, gid, buf, sizeof(buf));
}

void line_gid(const char *name, const u8 *g)
{
	line_text(name, "%s", line_gid_text(g));
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

void line_name(const char *key, const u8 *from, size_t n)
{
	name_in(line_value(key, false), LINE_VALUE_LEN, from, n);
}

void line_names(const char *key, const u8 *from, size_t each, unsigned int n)
{
	char *to = line_value(key, false);
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (i)
			to[len++] = ',';
		name_in(to + len, LINE_VALUE_LEN - len, from + i * each, each);
		len += strlen(to + len);
	}
}

void line_gids(const char *key, const u8 (*from)[16], unsigned int n)
{
	char *to = line_value(key, false);
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < n && len < LINE_VALUE_LEN; i++)
		len += (size_t)snprintf(to + len, LINE_VALUE_LEN - len, "%s%s", i ? "," : "", line_gid_text(from[i]));
}

/* Letters of the bits that are set, "-" if none is. */
void line_flags(const char *key, u8 value, const char *letters)
{
	char *to = line_value(key, false), *at = to;
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

void line_finish(enum layer layer)
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

void line_truncated(bool truncated)
{
	if (truncated)
		line_text("truncated", "yes");
}

void line_raw(const u8 *buf, size_t len, size_t whole)
{
	line_num("length", whole);
	line_bytes("bytes", buf, len < RAW_SHOWN ? len : RAW_SHOWN);
}

void line_malformed(const u8 *buf, size_t len, size_t whole)
{
	line_text(len < whole ? "truncated" : "malformed", "yes");
	line_raw(buf, len, whole);
}
