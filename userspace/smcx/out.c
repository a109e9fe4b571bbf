// SPDX-License-Identifier: GPL-2.0
/* Tables and JSON: see out.h. */
#include "out.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool out_json;

enum cell_kind { CELL_EMPTY, CELL_TEXT, CELL_NUMBER, CELL_BOOL };

struct cell {
	enum cell_kind	kind;
	enum paint	paint;
	char		*text;
};

struct row {
	struct row	*next;
	struct cell	cells[OUT_COLUMNS];
};

struct out_table {
	const struct out_column	*cols;
	struct row		*first;
	struct row		**tail;
	struct row		*last;
};

static void *need(void *p)
{
	if (!p) {
		fputs("smcx: out of memory. End other programs and try again.\n", stderr);
		exit(2);
	}
	return p;
}

struct out_table *out_table_begin(const struct out_column *cols)
{
	struct out_table *t = need(calloc(1, sizeof(*t)));

	t->cols = cols;
	t->tail = &t->first;
	return t;
}

void out_row(struct out_table *t)
{
	t->last = need(calloc(1, sizeof(*t->last)));
	*t->tail = t->last;
	t->tail = &t->last->next;
}

static struct cell *cell_of(struct out_table *t, const char *key)
{
	int i;

	for (i = 0; t->cols[i].key; i++)
		if (!strcmp(t->cols[i].key, key))
			return &t->last->cells[i];
	fprintf(stderr, "smcx: no column %s\n", key);
	abort();
}

/*
 * Text from the kernel may hold names a peer chose: nothing in it may steer a terminal or spoil
 * JSON. Names are ASCII by protocol.
 */
static char printable(char c)
{
	return c >= ' ' && c <= '~' ? c : '?';
}

void out_str(struct out_table *t, const char *key, const char *fmt, ...)
{
	struct cell *c = cell_of(t, key);
	va_list args;
	char *at;
	int rc;

	free(c->text);
	va_start(args, fmt);
	rc = vasprintf(&c->text, fmt, args);
	va_end(args);
	need(rc < 0 ? NULL : c->text);
	for (at = c->text; *at; at++)
		*at = printable(*at);
	c->kind = CELL_TEXT;
}

void out_num(struct out_table *t, const char *key, uint64_t value)
{
	out_str(t, key, "%llu", (unsigned long long)value);
	cell_of(t, key)->kind = CELL_NUMBER;
}

void out_bool(struct out_table *t, const char *key, bool value)
{
	out_str(t, key, "%s", value ? "yes" : "no");
	cell_of(t, key)->kind = CELL_BOOL;
}

void out_paint(struct out_table *t, const char *key, enum paint paint)
{
	cell_of(t, key)->paint = paint;
}

/* Bold for headings, else as @paint says; "" where there are no colours. */
static const char *escape(bool heading, enum paint paint)
{
	static const char *const codes[] = { "", "\033[32m", "\033[33m", "\033[31m" };
	static int colours = -1;

	if (colours < 0) {
		const char *no = getenv("NO_COLOR");

		colours = isatty(STDOUT_FILENO) && !(no && *no);
	}
	if (!colours)
		return "";
	return heading ? "\033[1m" : codes[paint];
}

void out_json_str(FILE *to, const char *text)
{
	fputc('"', to);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', to);
		fputc(printable(*text), to);
	}
	fputc('"', to);
}

static void json_cell(const struct cell *c)
{
	switch (c->kind) {
	case CELL_EMPTY:
		fputs("null", stdout);
		break;
	case CELL_TEXT:
		out_json_str(stdout, c->text);
		break;
	case CELL_NUMBER:
		fputs(c->text, stdout);
		break;
	case CELL_BOOL:
		fputs(*c->text == 'y' ? "true" : "false", stdout);
		break;
	}
}

static void print_json(const struct out_table *t)
{
	const struct row *r;
	int i;

	putchar('[');
	for (r = t->first; r; r = r->next) {
		fputs(r == t->first ? "\n  {" : ",\n  {", stdout);
		for (i = 0; t->cols[i].key; i++) {
			fputs(i ? ", " : "", stdout);
			out_json_str(stdout, t->cols[i].key);
			fputs(": ", stdout);
			json_cell(&r->cells[i]);
		}
		putchar('}');
	}
	fputs(t->first ? "\n]\n" : "]\n", stdout);
}

static bool in_line(const struct out_column *col)
{
	return col->title && !col->note;
}

static int width_of(const struct out_table *t, int i)
{
	const struct row *r;
	int width = strlen(t->cols[i].title);

	for (r = t->first; r; r = r->next) {
		int len = r->cells[i].text ? strlen(r->cells[i].text) : 1;

		if (len > width)
			width = len;
	}
	return width;
}

/* The last column in line stays unpadded. */
static void print_line(const struct out_table *t, const struct row *r, const int *width, int last)
{
	int i;

	for (i = 0; i <= last; i++) {
		const char *text = t->cols[i].title, *code;
		int pad = i == last ? 0 : width[i];

		if (!in_line(&t->cols[i]))
			continue;
		if (r)
			text = r->cells[i].text ? r->cells[i].text : "-";
		code = escape(!r, r ? r->cells[i].paint : PAINT_NONE);
		fputs(code, stdout);
		printf(r && r->cells[i].kind == CELL_NUMBER ? "%*s" : "%-*s", pad, text);
		fputs(*code ? "\033[0m" : "", stdout);
		fputs(i == last ? "\n" : "  ", stdout);
	}
}

static void print_table(const struct out_table *t)
{
	int width[OUT_COLUMNS] = { 0 };
	const struct row *r;
	int i, last = 0;

	for (i = 0; t->cols[i].key; i++) {
		if (!in_line(&t->cols[i]))
			continue;
		width[i] = width_of(t, i);
		last = i;
	}
	print_line(t, NULL, width, last);
	for (r = t->first; r; r = r->next) {
		print_line(t, r, width, last);
		for (i = 0; t->cols[i].key; i++)
			if (t->cols[i].note && r->cells[i].text)
				printf("    %s: %s\n", t->cols[i].title, r->cells[i].text);
	}
}

void out_table_end(struct out_table *t, const char *none)
{
	struct row *r, *next;
	int i;

	if (out_json)
		print_json(t);
	else if (t->first)
		print_table(t);
	else
		fprintf(stderr, "%s\n", none);
	for (r = t->first; r; r = next) {
		next = r->next;
		for (i = 0; i < OUT_COLUMNS; i++)
			free(r->cells[i].text);
		free(r);
	}
	free(t);
}

static bool group_open, group_empty, map_empty;

void out_map_begin(void)
{
	map_empty = true;
	group_open = false;
	if (out_json)
		putchar('{');
}

static void group_close(void)
{
	if (group_open && out_json)
		fputs(group_empty ? "}" : "\n  }", stdout);
	group_open = false;
}

void out_group(const char *name)
{
	group_close();
	if (out_json) {
		fputs(map_empty ? "\n  " : ",\n  ", stdout);
		out_json_str(stdout, name);
		fputs(": {", stdout);
	} else {
		printf("%s%s\n", map_empty ? "" : "\n", name);
	}
	map_empty = false;
	group_open = true;
	group_empty = true;
}

static void pair(const char *name)
{
	if (out_json) {
		fputs(group_empty ? "\n    " : ",\n    ", stdout);
		out_json_str(stdout, name);
		fputs(": ", stdout);
	} else {
		printf("  %-28s ", name);
	}
	group_empty = false;
}

void out_value(const char *name, uint64_t value)
{
	pair(name);
	printf(out_json ? "%llu" : "%20llu\n", (unsigned long long)value);
}

void out_text(const char *name, const char *value)
{
	pair(name);
	if (out_json)
		out_json_str(stdout, value);
	else
		printf("%s\n", value);
}

void out_map_end(void)
{
	group_close();
	if (out_json)
		fputs("\n}\n", stdout);
}
