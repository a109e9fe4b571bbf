// SPDX-License-Identifier: GPL-2.0
/* Prints a table and a map with hostile texts; argument "json" for JSON. */
#include <string.h>

#include "out.h"

static const struct out_column columns[] = {
	{ "text", "Text", false },
	{ "number", "Number", false },
	{ "yes", NULL, false },
	{ "note", "note", true },
	{ NULL, NULL, false },
};

int main(int argc, char **argv)
{
	struct out_table *t = out_table_begin(columns);

	out_json = argc > 1 && !strcmp(argv[1], "json");
	out_row(t);
	out_str(t, "text", "quote\" back\\slash \x1b[31m\n");
	out_num(t, "number", 18446744073709551615ULL);
	out_bool(t, "yes", true);
	out_row(t);
	out_str(t, "text", "bad \xff\xc3 utf8 \xc3\xa4 \xf0\x9f\x98\x80");
	out_str(t, "note", "words");
	out_row(t);
	out_table_end(t, "none");
	out_table_end(out_table_begin(columns), "none");
	out_map_begin();
	out_group("empty");
	out_group("full");
	out_value("a", 1);
	out_text("b", "t\"");
	out_map_end();
	return 0;
}
