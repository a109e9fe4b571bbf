// SPDX-License-Identifier: GPL-2.0
/* A library whose constructor opens sockets in many threads, before main() and maybe before others' constructors. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define THREADS	16

static pthread_barrier_t barrier;

static void *thread(void *arg)
{
	long bad = 0;
	int i, fd;

	pthread_barrier_wait(&barrier);
	for (i = 0; i < 200; i++) {
		fd = socket(i & 1 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd < 0)
			bad++;
		else
			close(fd);
	}
	return (void *)bad;
}

__attribute__((constructor)) static void early(void)
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
	if (bad) {
		fprintf(stderr, "early: %ld sockets failed\n", bad);
		_exit(1);
	}
}
