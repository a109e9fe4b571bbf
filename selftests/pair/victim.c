// SPDX-License-Identifier: GPL-2.0
/*
 * What hostile.c attacks: an application that serves over SMC, a thread for each connection. The first byte says how:
 *   e          echo until the end
 *   p          send 48 KiB and close
 *   h          neither read nor write, close after two seconds
 *   cPPPPP     connect over SMC to this port of the peer, send "hello", wait for as much, a few seconds at most; answer "y" or "n"
 * victim PORT
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define PF_SMC 43
#define PUSH (48 << 10)

static void set_patience(int fd, int seconds)
{
	struct timeval t = { .tv_sec = seconds };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t));
}

static void echo(int fd)
{
	char buf[8192];
	ssize_t n;

	while ((n = recv(fd, buf, sizeof(buf), 0)) > 0)
		if (send(fd, buf, n, MSG_NOSIGNAL) != n)
			break;
}

static void push(int fd)
{
	static const char buf[PUSH];

	send(fd, buf, sizeof(buf), MSG_NOSIGNAL);
}

static void dial(int fd)
{
	struct sockaddr_in sin;
	socklen_t len = sizeof(sin);
	char port[6] = "", word[5];
	int to = socket(PF_SMC, SOCK_STREAM, 0), ok;

	if (getpeername(fd, (void *)&sin, &len) || recv(fd, port, 5, MSG_WAITALL) != 5)
		return;
	sin.sin_port = htons(atoi(port));
	set_patience(to, 4);
	ok = !connect(to, (void *)&sin, sizeof(sin)) && send(to, "hello", 5, MSG_NOSIGNAL) == 5 &&
	     recv(to, word, 5, MSG_WAITALL) == 5 && !memcmp(word, "hello", 5);
	close(to);
	send(fd, ok ? "y" : "n", 1, MSG_NOSIGNAL);
}

static void *serve(void *arg)
{
	int fd = (long)arg;
	char how;

	set_patience(fd, 20);
	if (recv(fd, &how, 1, 0) == 1) {
		if (how == 'e')
			echo(fd);
		else if (how == 'p')
			push(fd);
		else if (how == 'h')
			sleep(2);
		else if (how == 'c')
			dial(fd);
	}
	close(fd);
	return NULL;
}

int main(int argc, char **argv)
{
	struct sockaddr_in sin = { .sin_family = AF_INET };
	int on = 1, fd = socket(PF_SMC, SOCK_STREAM, 0);
	pthread_attr_t attr;
	pthread_t t;
	long conn;

	if (argc != 2)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	sin.sin_port = htons(atoi(argv[1]));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd < 0 || bind(fd, (void *)&sin, sizeof(sin)) || listen(fd, 1024)) {
		perror("victim");
		return 1;
	}
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	for (;;) {
		conn = accept(fd, NULL, NULL);
		if (conn < 0)
			continue;
		if (pthread_create(&t, &attr, serve, (void *)conn))
			close(conn);
	}
}
