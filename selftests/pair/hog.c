// SPDX-License-Identifier: GPL-2.0
/*
 * hog MS: for so long nothing on this machine runs but interrupts: a real-time thread spins on each processor.
 *
 * vm-cflags: -Wno-sign-compare
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CPUS 16

static int ms;

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ll + ts.tv_nsec / 1000000;
}

static void *spin(void *arg)
{
	struct sched_param prio = { .sched_priority = 50 };
	int64_t end;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((intptr_t)arg, &set);
	if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set) ||
	    pthread_setschedparam(pthread_self(), SCHED_FIFO, &prio)) {
		perror("hog");
		exit(1);
	}
	for (end = now_ms() + ms; now_ms() < end;)
		;
	return NULL;
}

int main(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t t[CPUS];

	if (argc != 2 || cpus > CPUS)
		return 2;
	ms = atoi(argv[1]);
	for (intptr_t i = 0; i < cpus; i++)
		if (pthread_create(&t[i], NULL, spin, (void *)i))
			return 1;
	for (long i = 0; i < cpus; i++)
		pthread_join(t[i], NULL);
	return 0;
}
