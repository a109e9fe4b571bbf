/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_OUT_H
#define SMCX_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * DOC: Output
 *
 * A command describes what it shows once, as a list of rows; this prints it as an aligned
 * table for people or as JSON for programs. A column may exist for JSON only (no title), and
 * one column may be a note, printed in words below its row. Colours appear on a terminal only, and not where
 * NO_COLOR is set.
 */

extern bool out_json;	/* --json was given */

#define OUT_COLUMNS	32

/**
 * struct out_column - one column
 * @key: name in JSON
 * @title: heading of the table, NULL = JSON only
 * @note: print below the row instead, after the title
 */
struct out_column {
	const char	*key;
	const char	*title;
	bool		note;
};

struct out_table;

/**
 * out_table_begin() - start a table
 * @cols: columns, the last one has no key
 *
 * Return: the table; never NULL, the program ends if memory is short.
 */
struct out_table *out_table_begin(const struct out_column *cols);

/** out_row() - start the next row; its cells are empty (null in JSON). @t: table. */
void out_row(struct out_table *t);

/**
 * out_str() - fill a cell with text
 * @t: table
 * @key: column
 * @fmt: as printf()
 */
void out_str(struct out_table *t, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** enum paint - colours, on a terminal only */
enum paint {
	PAINT_NONE,
	PAINT_GOOD,	/* green */
	PAINT_WARN,	/* yellow */
	PAINT_BAD,	/* red */
};

/** out_paint() - colour of a filled cell. @t: table. @key: column. @paint: colour. */
void out_paint(struct out_table *t, const char *key, enum paint paint);

/** out_num() - fill a cell with a number. @t: table. @key: column. @value: number. */
void out_num(struct out_table *t, const char *key, uint64_t value);

/** out_bool() - fill a cell with yes or no. @t: table. @key: column. @value: truth. */
void out_bool(struct out_table *t, const char *key, bool value);

/**
 * out_table_end() - print and free a table
 * @t: table
 * @none: what to say on standard error when there is no row
 */
void out_table_end(struct out_table *t, const char *none);

/**
 * out_json_str() - print text as a JSON string
 * @to: where
 * @text: bytes from the kernel, not trusted: what is no printable ASCII becomes '?'
 */
void out_json_str(FILE *to, const char *text);

/**
 * out_map_begin() - start name and value pairs in named groups
 *
 * out_group() starts a group, out_value() adds a pair to it, out_map_end() ends it all.
 */
void out_map_begin(void);
/** out_group() - next group. @name: its name. */
void out_group(const char *name);
/** out_value() - next pair of the group. @name: name. @value: value. */
void out_value(const char *name, uint64_t value);
/** out_text() - next pair of the group. @name: name. @value: text. */
void out_text(const char *name, const char *value);
/** out_map_end() - end of all groups. */
void out_map_end(void);

#endif
