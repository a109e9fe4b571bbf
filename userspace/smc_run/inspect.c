// SPDX-License-Identifier: GPL-2.0
/* Why a program cannot be wrapped by preloading: see inspect.h. */
#include "inspect.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The kernel follows no more. */
#define MAX_INTERPRETERS	4

static void say(const char *file, const char *what)
{
	fprintf(stderr, "smc_run: %s %s; its sockets stay TCP\n", file, what);
}

/* As execvp() searches; false if not found. */
static bool find(const char *name, char *file, size_t size)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/')) {
		snprintf(file, size, "%s", name);
		return !access(file, X_OK);
	}
	if (!path)
		path = "/bin:/usr/bin";
	while (*path) {
		size_t n = strcspn(path, ":");

		if ((size_t)snprintf(file, size, "%.*s%s%s", (int)n, path, n ? "/" : "",
				     name) < size && !access(file, X_OK))
			return true;
		path += n + (path[n] == ':');
	}
	return false;
}

static bool has_interpreter(int fd, const Elf64_Ehdr *eh)
{
	Elf64_Phdr ph;
	int i;

	for (i = 0; i < eh->e_phnum; i++) {
		off_t at = eh->e_phoff + (off_t)i * eh->e_phentsize;

		if (pread(fd, &ph, sizeof(ph), at) != sizeof(ph))
			break;
		if (ph.p_type == PT_INTERP)
			return true;
	}
	return false;
}

static void inspect_elf(int fd, const char *file, const Elf64_Ehdr *eh)
{
	struct stat st;
	bool root = getuid() == 0;

	if (eh->e_ident[EI_CLASS] != ELFCLASS64) {
		say(file, "is a 32-bit program, and there is no 32-bit preload library");
		return;
	}
	if (!has_interpreter(fd, eh))
		say(file, "is statically linked and ignores preloaded libraries");
	if (fstat(fd, &st))
		return;
	/* The loader goes into its secure mode only where the user or group really changes. */
	if (((st.st_mode & S_ISUID) && st.st_uid != getuid()) ||
	    ((st.st_mode & S_ISGID) && st.st_gid != getgid()))
		say(file, "is setuid or setgid and ignores preloaded libraries");
	else if (!root && fgetxattr(fd, "security.capability", NULL, 0) > 0)
		say(file, "has file capabilities and ignores preloaded libraries");
}

/* The interpreter of a script, false if it is none. */
static bool script(char *head, ssize_t len, char *file, size_t size)
{
	char *name;

	if (len < 4 || memcmp(head, "#!", 2))
		return false;
	head[len] = '\0';
	name = head + 2 + strspn(head + 2, " \t");
	name[strcspn(name, " \t\n")] = '\0';
	snprintf(file, size, "%s", name);
	return true;
}

void inspect_program(const char *name)
{
	char file[PATH_MAX], head[257];
	bool again = find(name, file, sizeof(file));
	int i;

	for (i = 0; again && i < MAX_INTERPRETERS; i++) {
		int fd = open(file, O_RDONLY | O_CLOEXEC);
		Elf64_Ehdr eh;
		ssize_t len;

		if (fd < 0)
			return;
		len = pread(fd, head, sizeof(head) - 1, 0);
		again = false;
		if (len >= (ssize_t)sizeof(eh) && !memcmp(head, ELFMAG, SELFMAG)) {
			memcpy(&eh, head, sizeof(eh));
			inspect_elf(fd, file, &eh);
		} else {
			again = script(head, len, file, sizeof(file));
		}
		close(fd);
	}
}
