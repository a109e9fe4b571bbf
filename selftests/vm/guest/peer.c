// SPDX-License-Identifier: GPL-2.0
/*
 * peer - rendezvous of two guests over a virtio port that both share
 *
 *   peer daemon PORT           owns the port: files what arrives, sends what is asked for
 *   peer put KEY VALUE...      hand a line to the other machine
 *   peer get KEY [SECONDS]     wait for such a line, print and remove it
 *   peer sync NAME [SECONDS]   both say it, both go on
 *
 * Arriving lines become files /run/peer/KEY.NNNNNN, so that nothing is lost when the other side is ahead.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define QUEUE	"/run/peer"
#define OUTBOX	"/run/peer.out"
#define LINE	2048

static void die(const char *what)
{
	fprintf(stderr, "peer: %s: %s\n", what, strerror(errno));
	exit(2);
}

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* A received line "KEY VALUE" becomes a file, complete from the moment it is seen. */
static void file_line(char *line)
{
	static unsigned int seq;
	char tmp[64], path[LINE + 64];
	char *value = strchr(line, ' ');
	FILE *file;

	if (value)
		*value++ = '\0';
	snprintf(tmp, sizeof(tmp), QUEUE "/.tmp");
	snprintf(path, sizeof(path), QUEUE "/%s.%06u", line, seq++);
	file = fopen(tmp, "w");
	if (!file)
		die(tmp);
	fprintf(file, "%s\n", value ? value : "");
	fclose(file);
	if (rename(tmp, path))
		die(path);
}

static void receive(int port)
{
	static char buf[LINE];
	static size_t fill;
	char *end;
	ssize_t n = read(port, buf + fill, sizeof(buf) - 1 - fill);

	if (n <= 0) {
		/* The other machine is not there (yet or any more). */
		usleep(100000);
		return;
	}
	fill += n;
	buf[fill] = '\0';
	while ((end = strchr(buf, '\n'))) {
		*end = '\0';
		file_line(buf);
		fill -= end + 1 - buf;
		memmove(buf, end + 1, fill + 1);
	}
	if (fill == sizeof(buf) - 1)
		fill = 0;
}

static void run_daemon(const char *path)
{
	int port = open(path, O_RDWR), box;
	char buf[LINE];

	if (port < 0)
		die(path);
	mkdir(QUEUE, 0777);
	mkfifo(OUTBOX, 0666);
	/* Opened for writing too, so that it never sees the end of file. */
	box = open(OUTBOX, O_RDWR);
	if (box < 0)
		die(OUTBOX);
	for (;;) {
		struct pollfd fds[] = {
			{ .fd = port, .events = POLLIN }, { .fd = box, .events = POLLIN },
		};
		ssize_t n;

		if (poll(fds, 2, -1) < 0)
			die("poll");
		if (fds[1].revents & POLLIN) {
			n = read(box, buf, sizeof(buf));
			if (n > 0 && write(port, buf, n) != n)
				fprintf(stderr, "peer: line lost\n");
		}
		if (fds[0].revents & POLLIN)
			receive(port);
		else if (fds[0].revents)
			usleep(100000);
	}
}

static int put(const char *key, int argc, char **argv)
{
	int fd, len, i, tries = 0;
	char line[LINE];

	/* The daemon may still be starting, slowly on a debug kernel. */
	while ((fd = open(OUTBOX, O_WRONLY)) < 0) {
		if (errno != ENOENT || ++tries > 600)
			die(OUTBOX);
		usleep(50000);
	}
	len = snprintf(line, sizeof(line), "%s", key);
	for (i = 0; i < argc && len < LINE; i++)
		len += snprintf(line + len, sizeof(line) - len, " %s", argv[i]);
	if (len >= LINE - 1 || strchr(line, '\n')) {
		fprintf(stderr, "peer: one line of less than %d bytes, please\n", LINE);
		return 2;
	}
	line[len++] = '\n';
	if (write(fd, line, len) != len)
		die("write");
	return 0;
}

/* The oldest line filed under @key: 1 and its path, or 0. */
static int oldest(const char *key, char *path, size_t size)
{
	size_t len = strlen(key);
	unsigned long best = 0, seq;
	struct dirent *entry;
	DIR *dir = opendir(QUEUE);
	int found = 0;
	char *end;

	if (!dir)
		die(QUEUE);
	while ((entry = readdir(dir))) {
		if (strncmp(entry->d_name, key, len) || entry->d_name[len] != '.')
			continue;
		seq = strtoul(entry->d_name + len + 1, &end, 10);
		if (*end || (found && seq >= best))
			continue;
		best = seq;
		found = 1;
		snprintf(path, size, QUEUE "/%s", entry->d_name);
	}
	closedir(dir);
	return found;
}

static int get(const char *key, int seconds, int show)
{
	long long end = now_ms() + seconds * 1000LL, left;
	int watch = inotify_init1(IN_NONBLOCK);
	char path[512], buf[LINE];
	ssize_t n;
	int fd;

	if (watch < 0 || inotify_add_watch(watch, QUEUE, IN_MOVED_TO) < 0)
		die("inotify");
	while (!oldest(key, path, sizeof(path))) {
		struct pollfd pfd = { .fd = watch, .events = POLLIN };

		left = end - now_ms();
		if (left <= 0 || poll(&pfd, 1, left) < 0)
			return 1;
		while (read(watch, buf, sizeof(buf)) > 0)
			;
	}
	fd = open(path, O_RDONLY);
	if (fd < 0)
		die(path);
	n = read(fd, buf, sizeof(buf));
	if (show && n > 0 && write(STDOUT_FILENO, buf, n) != n)
		die("write");
	unlink(path);
	return 0;
}

int main(int argc, char **argv)
{
	const char *cmd = argc > 2 ? argv[1] : "";
	int seconds = argc > 3 ? atoi(argv[3]) : 60;
	char key[256];

	if (!strcmp(cmd, "daemon"))
		run_daemon(argv[2]);
	if (!strcmp(cmd, "put"))
		return put(argv[2], argc - 3, argv + 3);
	if (!strcmp(cmd, "get"))
		return get(argv[2], seconds, 1);
	if (!strcmp(cmd, "sync")) {
		snprintf(key, sizeof(key), "sync-%s", argv[2]);
		if (put(key, 0, NULL))
			return 2;
		return get(key, seconds, 0);
	}
	fprintf(stderr, "usage: peer put KEY VALUE | get KEY [SECONDS] | sync NAME [SECONDS]\n");
	return 2;
}
