// SPDX-License-Identifier: GPL-2.0
/* Prints its arguments so that no two lists print alike. */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	int i, status = 0;

	for (i = 1; i < argc; i++) {
		printf("%zu:", strlen(argv[i]));
		fwrite(argv[i], 1, strlen(argv[i]), stdout);
		putchar('\n');
		if (sscanf(argv[i], "exit=%d", &status) == 1)
			return status;
	}
	return 0;
}
