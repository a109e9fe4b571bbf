// SPDX-License-Identifier: GPL-2.0
/* The first sockets of a program, opened by many threads at once. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define THREADS	32

static pthread_barrier_t barrier;

static void *thread(void *arg)
{
	long bad = 0;
	int i, fd;

	pthread_barrier_wait(&barrier);
	for (i = 0; i < 500; i++) {
		errno = 4711;
		fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		if (fd < 0 || errno != 4711)
			bad++;
		if (fd >= 0)
			close(fd);
	}
	return (void *)bad;
}

int main(void)
{
	pthread_t t[THREADS];
	long bad = 0;
	void *rc;
	int i;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	for (i = 0; i < THREADS; i++) {
		pthread_join(t[i], &rc);
		bad += (long)rc;
	}
	if (bad)
		fprintf(stderr, "storm: %ld sockets failed\n", bad);
	return bad ? 1 : 0;
}
