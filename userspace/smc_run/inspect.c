// SPDX-License-Identifier: GPL-2.0
/* What a program is made of, and so what reaches its sockets: see inspect.h. */
#include "inspect.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The kernel follows no more; some more for env(1) in between. */
#define MAX_INTERPRETERS	8
#define MAX_NOTES		65536

struct elf {
	Elf64_Ehdr	head;
	char		interpreter[PATH_MAX];
	bool		go;
};

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

/* The Go linker marks its programs with a note, which stripping leaves. */
static bool is_go_note(int fd, const Elf64_Phdr *ph)
{
	size_t size = ph->p_filesz < MAX_NOTES ? ph->p_filesz : MAX_NOTES, at = 0;
	char *notes = malloc(size + 1);
	bool found = false;
	Elf64_Nhdr note;
	ssize_t len;

	len = notes ? pread(fd, notes, size, ph->p_offset) : -1;
	while (!found && len > 0 && at + sizeof(note) + 4 <= (size_t)len) {
		memcpy(&note, notes + at, sizeof(note));
		at += sizeof(note);
		found = note.n_namesz == 4 && !memcmp(notes + at, "Go\0", 4);
		at += (((size_t)note.n_namesz + 3) & ~3UL) + (((size_t)note.n_descsz + 3) & ~3UL);
	}
	free(notes);
	return found;
}

static void read_interpreter(int fd, const Elf64_Phdr *ph, struct elf *elf)
{
	size_t size = ph->p_filesz < PATH_MAX ? ph->p_filesz : PATH_MAX - 1;
	ssize_t len = pread(fd, elf->interpreter, size, ph->p_offset);

	elf->interpreter[len > 0 ? len : 0] = '\0';
}

/* False if it is no ELF file. */
static bool read_elf(int fd, struct elf *elf)
{
	Elf64_Phdr ph;
	int i;

	memset(elf, 0, sizeof(*elf));
	if (pread(fd, &elf->head, sizeof(elf->head), 0) != sizeof(elf->head) ||
	    memcmp(elf->head.e_ident, ELFMAG, SELFMAG))
		return false;
	if (elf->head.e_ident[EI_CLASS] != ELFCLASS64)
		return true;
	for (i = 0; i < elf->head.e_phnum; i++) {
		off_t at = elf->head.e_phoff + (off_t)i * elf->head.e_phentsize;

		if (pread(fd, &ph, sizeof(ph), at) != sizeof(ph))
			break;
		if (ph.p_type == PT_INTERP)
			read_interpreter(fd, &ph, elf);
		else if (ph.p_type == PT_NOTE)
			elf->go = elf->go || is_go_note(fd, &ph);
	}
	return true;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool read_own_elf(struct elf *elf)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && read_elf(fd, elf);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* Does the kernel change user, group or capabilities at execve()? NULL if not. */
static const char *privilege(int fd)
{
	struct statvfs fs;
	struct stat st;

	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 || fstat(fd, &st))
		return NULL;
	if (!fstatvfs(fd, &fs) && (fs.f_flag & ST_NOSUID))
		return NULL;
	if (((st.st_mode & S_ISUID) && st.st_uid != geteuid()) ||
	    ((st.st_mode & S_ISGID) && st.st_gid != getegid()))
		return "is setuid or setgid: preloading is not allowed, and seccomp would take that privilege away";
	if (getuid() && fgetxattr(fd, "security.capability", NULL, 0) > 0)
		return "has file capabilities: preloading is not allowed, and seccomp would take them away";
	return NULL;
}

static void judge(struct verdict *v, enum reach reach, const char *why)
{
	v->reach = reach;
	v->why = why;
}

static void judge_elf(int fd, const struct elf *elf, struct verdict *v)
{
	const char *why = privilege(fd);
	struct elf own;

	if (!read_own_elf(&own))
		own = *elf;
	if (why)
		judge(v, REACH_NOTHING, why);
	else if (elf->head.e_ident[EI_CLASS] != ELFCLASS64 || elf->head.e_machine != own.head.e_machine)
		judge(v, REACH_NOTHING, "is made for another machine type than smc_run, such as 32 bit");
	else if (elf->go)
		judge(v, REACH_SECCOMP, "is a Go program, which makes its system calls without the C library");
	else if (!elf->interpreter[0])
		judge(v, REACH_SECCOMP, "is statically linked");
	else if (own.interpreter[0] && strcmp(base_name(elf->interpreter), base_name(own.interpreter)))
		judge(v, REACH_SECCOMP, "uses another C library than smc_run");
	else
		judge(v, REACH_PRELOAD, "is dynamically linked");
}

/* Cuts the next word out of *@rest. */
static char *word(char **rest)
{
	char *start = *rest + strspn(*rest, " \t");
	size_t len = strcspn(start, " \t");

	*rest = start + len + (start[len] != '\0');
	start[len] = '\0';
	return start;
}

/* The interpreter of a script into @file; false if it is none, or not to be found. */
static bool script(int fd, char *file, size_t size)
{
	char head[257], *rest, *name, *arg;
	ssize_t len = pread(fd, head, sizeof(head) - 1, 0);

	if (len < 4 || memcmp(head, "#!", 2))
		return false;
	head[len] = '\0';
	head[strcspn(head, "\n")] = '\0';
	rest = head + 2;
	name = word(&rest);
	if (!strcmp(base_name(name), "env")) {
		arg = word(&rest);
		if (!strcmp(arg, "-S"))
			arg = word(&rest);
		/* Its options and settings are left to env, which is dynamically linked. */
		if (*arg && *arg != '-' && !strchr(arg, '='))
			return find(arg, file, size);
	}
	return find(name, file, size);
}

void inspect_program(const char *name, struct verdict *v)
{
	char next[PATH_MAX];
	struct elf elf;
	bool again;
	int i;

	judge(v, REACH_PRELOAD, "cannot be looked into");
	snprintf(v->file, sizeof(v->file), "%s", name);
	again = find(name, next, sizeof(next));
	for (i = 0; again && i < MAX_INTERPRETERS; i++) {
		int fd;

		snprintf(v->file, sizeof(v->file), "%s", next);
		/* exec refuses what is no file; a FIFO must not make us wait for a writer */
		fd = open(v->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			return;
		again = false;
		if (read_elf(fd, &elf)) {
			judge_elf(fd, &elf, v);
		} else {
			/* What is neither goes to the shell. */
			judge(v, REACH_PRELOAD, "is a script");
			again = script(fd, next, sizeof(next));
		}
		close(fd);
	}
}
