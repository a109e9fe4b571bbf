// SPDX-License-Identifier: GPL-2.0
/*
 * Options and ioctls. Each option is set, refused or read on the socket under
 * test exactly as on a plain TCP socket of the same family: before connect, on
 * a listener, on both ends of a connection.
 *
 * vm-cflags: -Iinclude include/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 * vm-test: timeout=120
 */
#define _GNU_SOURCE
#include "selftest.h"

#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>

#include <linux/sockios.h>

#ifndef SO_INCOMING_NAPI_ID
#define SO_INCOMING_NAPI_ID 56
#endif

struct opt {
	const char *name;
	int level, opt;
	int val;
};

#define O(l, o, v) { #o, l, o, v }

static const struct opt sol_opts[] = {
	O(SOL_SOCKET, SO_DEBUG, 1), O(SOL_SOCKET, SO_REUSEADDR, 1),
	O(SOL_SOCKET, SO_TYPE, 1), O(SOL_SOCKET, SO_ERROR, 1),
	O(SOL_SOCKET, SO_DONTROUTE, 0), O(SOL_SOCKET, SO_BROADCAST, 1),
	O(SOL_SOCKET, SO_SNDBUF, 100000), O(SOL_SOCKET, SO_RCVBUF, 90000),
	O(SOL_SOCKET, SO_SNDBUF, 1), O(SOL_SOCKET, SO_RCVBUF, 1),
	O(SOL_SOCKET, SO_KEEPALIVE, 1), O(SOL_SOCKET, SO_OOBINLINE, 1),
	O(SOL_SOCKET, SO_NO_CHECK, 1), O(SOL_SOCKET, SO_PRIORITY, 5),
	O(SOL_SOCKET, SO_REUSEPORT, 0), O(SOL_SOCKET, SO_PASSCRED, 0),
	O(SOL_SOCKET, SO_RCVLOWAT, 1), O(SOL_SOCKET, SO_SNDLOWAT, 1),
	O(SOL_SOCKET, SO_TIMESTAMP, 1), O(SOL_SOCKET, SO_TIMESTAMP, 0),
	O(SOL_SOCKET, SO_ACCEPTCONN, 1), O(SOL_SOCKET, SO_MARK, 7),
	O(SOL_SOCKET, SO_RXQ_OVFL, 1), O(SOL_SOCKET, SO_WIFI_STATUS, 1),
	O(SOL_SOCKET, SO_NOFCS, 1), O(SOL_SOCKET, SO_LOCK_FILTER, 0),
	O(SOL_SOCKET, SO_SELECT_ERR_QUEUE, 1), O(SOL_SOCKET, SO_BUSY_POLL, 0),
	O(SOL_SOCKET, SO_MAX_PACING_RATE, 1000000000),
	O(SOL_SOCKET, SO_ZEROCOPY, 1), O(SOL_SOCKET, SO_ZEROCOPY, 0),
	O(SOL_SOCKET, SO_TXTIME, 1), O(SOL_SOCKET, SO_BINDTOIFINDEX, 0),
	O(SOL_SOCKET, SO_DETACH_FILTER, 0), O(SOL_SOCKET, 9999, 1),
};

static const struct opt tcp_opts[] = {
	O(IPPROTO_TCP, TCP_NODELAY, 1), O(IPPROTO_TCP, TCP_NODELAY, 0),
	O(IPPROTO_TCP, TCP_MAXSEG, 1000), O(IPPROTO_TCP, TCP_MAXSEG, 1),
	O(IPPROTO_TCP, TCP_CORK, 1), O(IPPROTO_TCP, TCP_CORK, 0),
	O(IPPROTO_TCP, TCP_KEEPIDLE, 100), O(IPPROTO_TCP, TCP_KEEPIDLE, 0),
	O(IPPROTO_TCP, TCP_KEEPINTVL, 50), O(IPPROTO_TCP, TCP_KEEPCNT, 3),
	O(IPPROTO_TCP, TCP_KEEPCNT, 1000), O(IPPROTO_TCP, TCP_SYNCNT, 4),
	O(IPPROTO_TCP, TCP_LINGER2, 20), O(IPPROTO_TCP, TCP_DEFER_ACCEPT, 5),
	O(IPPROTO_TCP, TCP_DEFER_ACCEPT, 0),
	O(IPPROTO_TCP, TCP_WINDOW_CLAMP, 50000), O(IPPROTO_TCP, TCP_QUICKACK, 1),
	O(IPPROTO_TCP, TCP_QUICKACK, 0), O(IPPROTO_TCP, TCP_USER_TIMEOUT, 12345),
	O(IPPROTO_TCP, TCP_USER_TIMEOUT, -1), O(IPPROTO_TCP, TCP_THIN_LINEAR_TIMEOUTS, 1),
	O(IPPROTO_TCP, TCP_THIN_DUPACK, 1), O(IPPROTO_TCP, TCP_TIMESTAMP, 0),
	O(IPPROTO_TCP, TCP_NOTSENT_LOWAT, 100000), O(IPPROTO_TCP, TCP_SAVE_SYN, 1),
	O(IPPROTO_TCP, TCP_INQ, 1), O(IPPROTO_TCP, TCP_INQ, 0),
	O(IPPROTO_TCP, TCP_TX_DELAY, 0),
	O(IPPROTO_TCP, 9999, 1),
};

static const struct opt ip_opts[] = {
	O(IPPROTO_IP, IP_TOS, 0x20), O(IPPROTO_IP, IP_TTL, 77),
	O(IPPROTO_IP, IP_TTL, 0), O(IPPROTO_IP, IP_RECVTOS, 1),
	O(IPPROTO_IP, IP_PKTINFO, 1), O(IPPROTO_IP, IP_MTU_DISCOVER, 2),
	O(IPPROTO_IP, IP_RECVERR, 1), O(IPPROTO_IP, IP_FREEBIND, 1),
	O(IPPROTO_IP, IP_TRANSPARENT, 0), O(IPPROTO_IP, IP_MINTTL, 1),
	O(IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1), O(IPPROTO_IP, IP_HDRINCL, 1),
	O(IPPROTO_IP, IP_MULTICAST_TTL, 2), O(IPPROTO_IP, 9999, 1),
	O(17, 1, 1), O(255, 1, 1), O(12345, 1, 1),
};

static const struct opt ip6_opts[] = {
	O(IPPROTO_IPV6, IPV6_TCLASS, 0x20), O(IPPROTO_IPV6, IPV6_UNICAST_HOPS, 77),
	O(IPPROTO_IPV6, IPV6_UNICAST_HOPS, 1000), O(IPPROTO_IPV6, IPV6_RECVPKTINFO, 1),
	O(IPPROTO_IPV6, IPV6_RECVTCLASS, 1), O(IPPROTO_IPV6, IPV6_MTU_DISCOVER, 1),
	O(IPPROTO_IPV6, IPV6_V6ONLY, 0), O(IPPROTO_IPV6, IPV6_RECVERR, 1),
	O(IPPROTO_IPV6, IPV6_DONTFRAG, 1), O(IPPROTO_IPV6, IPV6_AUTOFLOWLABEL, 1),
	O(IPPROTO_IPV6, IPV6_MULTICAST_HOPS, 3), O(IPPROTO_IPV6, 9999, 1),
};

struct group {
	const struct opt *o;
	size_t n;
};

static const struct group groups[] = {
	{ sol_opts, ARRAY_SIZE(sol_opts) }, { tcp_opts, ARRAY_SIZE(tcp_opts) },
	{ ip_opts, ARRAY_SIZE(ip_opts) }, { ip6_opts, ARRAY_SIZE(ip6_opts) },
};

struct answer {
	int set, set_err, got, get_err, val;
	socklen_t len;
};

static struct answer ask(int fd, const struct opt *o)
{
	struct answer a = { .val = -77, .len = sizeof(int) };

	errno = 0;
	a.set = setsockopt(fd, o->level, o->opt, &o->val, sizeof(int));
	a.set_err = a.set ? errno : 0;
	a.got = getsockopt(fd, o->level, o->opt, &a.val, &a.len);
	a.get_err = a.got ? errno : 0;
	return a;
}

/* Depend on the traffic, not on the option set. */
static bool volatile_value(const struct opt *o)
{
	return o->level == IPPROTO_TCP &&
	       (o->opt == TCP_QUICKACK || o->opt == TCP_WINDOW_CLAMP ||
		o->opt == TCP_MAXSEG || o->opt == TCP_TIMESTAMP);
}

static void compare(const char *state, int fd, int tcp)
{
	for (size_t g = 0; g < ARRAY_SIZE(groups); g++) {
		if (groups[g].o == ip6_opts && st.mode->af != AF_INET6)
			continue;
		for (size_t i = 0; i < groups[g].n; i++) {
			const struct opt *o = &groups[g].o[i];
			struct answer t = ask(tcp, o), s = ask(fd, o);

			if (volatile_value(o))
				t.val = s.val;
			if (t.set != s.set || t.set_err != s.set_err ||
			    t.got != s.got || t.get_err != s.get_err ||
			    t.val != s.val || t.len != s.len)
				st_fail(__FILE__, __LINE__,
					"%s %s=%d: set %d/%d get %d/%d value %d len %d; TCP set %d/%d get %d/%d value %d len %d",
					state, o->name, o->val, s.set, s.set_err,
					s.got, s.get_err, s.val, s.len, t.set,
					t.set_err, t.got, t.get_err, t.val, t.len);
		}
	}
}

static void t_unconnected(void)
{
	int tcp = socket(st.mode->af, SOCK_STREAM, 0);

	compare("unconnected", st_socket(0), tcp);
}

static void t_listener(void)
{
	int tcp = socket(st.mode->af, SOCK_STREAM, 0), port;
	int fd = st_listen(8, &port);

	REQUIRE(!listen(tcp, 8));
	compare("listener", fd, tcp);
}

/* A plain TCP pair to compare with, same role. */
static int tcp_twin(void)
{
	const struct st_mode *keep = st.mode;
	int fd, pfd;

	st.mode = st_mode_find(keep->af == AF_INET ? "tcp" :
			       keep->mapped ? "tcpmap" : "tcp6");
	st_pair(&fd, &pfd);
	st.mode = keep;
	return fd;
}

static void t_connected(void)
{
	int fd, pfd, tcp = tcp_twin();

	st_pair(&fd, &pfd);
	compare("connected", fd, tcp);
	/* The connection is still usable. */
	st_set_int(fd, IPPROTO_TCP, TCP_CORK, 0);
	EQ(send(fd, "x", 1, 0), 1);
	EQ(p_do(st.peer, P_POLL, pfd, POLLIN, st_ms(5000)), POLLIN);
}

/* Set before connect or listen, read on the connected socket. */
static void t_inherited(void)
{
	static const struct opt keep[] = {
		O(SOL_SOCKET, SO_KEEPALIVE, 1), O(SOL_SOCKET, SO_OOBINLINE, 1),
		O(SOL_SOCKET, SO_PRIORITY, 3), O(SOL_SOCKET, SO_MARK, 9),
		O(SOL_SOCKET, SO_SNDBUF, 70000), O(SOL_SOCKET, SO_RCVBUF, 60000),
		O(SOL_SOCKET, SO_RCVLOWAT, 2), O(IPPROTO_TCP, TCP_NODELAY, 1),
		O(IPPROTO_TCP, TCP_KEEPIDLE, 99), O(IPPROTO_TCP, TCP_KEEPCNT, 5),
		O(IPPROTO_TCP, TCP_KEEPINTVL, 44),
		O(IPPROTO_TCP, TCP_USER_TIMEOUT, 30000),
		O(IPPROTO_TCP, TCP_LINGER2, 7),
	};
	struct sockaddr_storage me;
	int v[2][ARRAY_SIZE(keep)];
	const struct st_mode *mode = st.mode;

	for (int i = 0; i < 2; i++) {
		int port, fd, pfd, a;
		socklen_t l;

		st.mode = i ? mode : st_mode_find(mode->af == AF_INET ? "tcp" :
						  mode->mapped ? "tcpmap" : "tcp6");
		fd = st_listen(8, &port);
		for (size_t k = 0; k < ARRAY_SIZE(keep); k++)
			st_set_int(fd, keep[k].level, keep[k].opt, keep[k].val);
		l = st_addr(&me, false, port);
		pfd = p_do(st.peer, P_SOCKET, 0, st.mode->domain, SOCK_STREAM,
			   st.mode->proto);
		MUST_EQ(peer_call(st.peer, P_CONNECT, pfd, (int64_t[4]){}, &me, l,
				  NULL, 0), 0);
		a = accept(fd, NULL, NULL);
		REQUIRE(a >= 0);
		for (size_t k = 0; k < ARRAY_SIZE(keep); k++)
			v[i][k] = st_int_opt(a, keep[k].level, keep[k].opt);
		close(a);
		close(fd);
	}
	st.mode = mode;
	for (size_t k = 0; k < ARRAY_SIZE(keep); k++)
		if (v[0][k] != v[1][k])
			st_fail(__FILE__, __LINE__, "%s inherited %d, TCP %d",
				keep[k].name, v[1][k], v[0][k]);
}

static void t_lengths(void)
{
	int fd = st_socket(0), v = 1;
	struct timeval tv = { 1, 500000 }, got;
	socklen_t l = 2;
	char name[32];

	FAILS(setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &v, 2), EINVAL);
	FAILS(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &v, 2), EINVAL);
	FAILS(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, (void *)1, 4), EFAULT);
	EQ(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &v, &l), 0);
	EQ(l, 2);
	FAILS(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, (void *)8,
			 &(socklen_t){ 4 }), EFAULT);
	FAILS(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &v, NULL), EFAULT);
	EQ(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)), 0);
	l = sizeof(got);
	EQ(getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &got, &l), 0);
	EQ(got.tv_sec, 1);
	EQ(l, sizeof(got));
	tv.tv_usec = 2000000;
	FAILS(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv)), EDOM);
	EQ(setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", 4), 0);
	l = sizeof(name);
	EQ(getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &l), 0);
	EXPECT(!strcmp(name, "reno"));
	FAILS(setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "nonesuch", 8), ENOENT);
	EQ(setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3), 0);
	l = sizeof(name);
	EQ(getsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name, &l), 0);
	EXPECT(!strcmp(name, "lo"));
	FAILS(setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "nodev9", 7), ENODEV);
}

static void t_tcp_info(void)
{
	struct tcp_info ti;
	socklen_t l = sizeof(ti);
	int fd, pfd, port;

	fd = st_socket(0);
	EQ(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &ti, &l), 0);
	EQ(ti.tcpi_state, TCP_CLOSE);
	close(fd);
	fd = st_listen(7, &port);
	EQ(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &ti, &l), 0);
	EQ(ti.tcpi_state, TCP_LISTEN);
	close(fd);
	st_pair(&fd, &pfd);
	EQ(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &ti, &l), 0);
	EQ(ti.tcpi_state, TCP_ESTABLISHED);
	EXPECT(ti.tcpi_rtt > 0);
	p_do(st.peer, P_CLOSE, pfd);
	EXPECT(st_wait(fd, POLLRDHUP) & POLLRDHUP);
	EQ(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &ti, &l), 0);
	EXPECT(ti.tcpi_state == TCP_CLOSE_WAIT || st_carried_by_smc(fd));
}

static void t_nodelay_cork(void)
{
	char buf[64];
	int fd, pfd;

	st_pair(&fd, &pfd);
	EQ(st_set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1), 0);
	for (int i = 0; i < 20; i++) {
		EQ(send(fd, "x", 1, 0), 1);
		EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 1 }, NULL, 0,
			     buf, 1), 1);
	}
	EQ(st_set_int(fd, IPPROTO_TCP, TCP_NODELAY, 0), 0);
	EQ(st_set_int(fd, IPPROTO_TCP, TCP_CORK, 1), 0);
	for (int i = 0; i < 10; i++)
		EQ(send(fd, "abcd", 4, 0), 4);
	EQ(st_set_int(fd, IPPROTO_TCP, TCP_CORK, 0), 0);
	EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 40, MSG_WAITALL }, NULL,
		     0, buf, 40), 40);
	/* Corked for good: it goes out by itself, at the latest at the end. */
	EQ(st_set_int(fd, IPPROTO_TCP, TCP_CORK, 1), 0);
	EQ(send(fd, "late", 4, 0), 4);
	EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 4, MSG_WAITALL }, NULL,
		     0, buf, 4), 4);
	EQ(send(fd, "end", 3, 0), 3);
	close(fd);
	EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 9, MSG_WAITALL }, NULL,
		     0, buf, 9), 3);
}

static void cork(int fd)
{
	EQ(st_set_int(fd, IPPROTO_TCP, TCP_CORK, 1), 0);
}

/* TCP holds back 200 ms what a corked application sends, and nothing of the set-up. Returns how long these took. */
static uint64_t pairs(int n, void (*prepare)(int fd))
{
	uint64_t begin = st_now_ms();

	st.prepare = prepare;
	while (n--) {
		int fd, pfd;

		st_pair(&fd, &pfd);
		EQ(st_int_opt(fd, IPPROTO_TCP, TCP_CORK), !!prepare);
		close(fd);
		p_do(st.peer, P_CLOSE, pfd);
	}
	st.prepare = NULL;
	return st_now_ms() - begin;
}

static void t_corked_before(void)
{
	uint64_t plain, corked;

	pairs(1, NULL);
	plain = pairs(8, NULL);
	corked = pairs(8, cork);
	if (corked > plain + 800)
		st_fail(__FILE__, __LINE__, "8 corked connections took %llu ms, others %llu", (unsigned long long)corked,
			(unsigned long long)plain);
}

/* It takes bytes: TCP's own, or none. */
static void t_zerocopy_receive(void)
{
	struct {
		uint64_t address;
		uint32_t length, recv_skip_hint, inq;
		int32_t err;
		uint64_t copybuf_address;
		int32_t copybuf_len;
		uint32_t flags, more[6];
	} zc = { .copybuf_address = (uintptr_t)(char [64]){}, .copybuf_len = 64 };
	socklen_t l = sizeof(zc);
	char c[4];
	int fd, pfd;

	st_pair(&fd, &pfd);
	EQ(p_do(st.peer, P_SEND, pfd, 4, 0, 0, 1), 4);
	EXPECT(st_wait(fd, POLLIN) & POLLIN);
	if (st_carried_by_smc(fd)) {
		FAILS(getsockopt(fd, IPPROTO_TCP, TCP_ZEROCOPY_RECEIVE, &zc, &l), EOPNOTSUPP);
		EQ(recv(fd, c, 4, MSG_DONTWAIT), 4);
	}
}

static void t_defer_accept(void)
{
	struct sockaddr_storage me;
	int port, fd = st_listen(8, &port), pfd, a;
	socklen_t l;

	EQ(st_set_int(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, 5), 0);
	EXPECT(st_int_opt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT) >= 5);
	l = st_addr(&me, false, port);
	pfd = p_do(st.peer, P_SOCKET, 0, st.mode->domain, SOCK_STREAM, st.mode->proto);
	MUST_EQ(peer_call(st.peer, P_CONNECT, pfd, (int64_t[4]){}, &me, l, NULL, 0), 0);
	/* of SMC connections that go on as TCP, the Proposal counts as data */
	if (!st.mode->smc || st.expect == EXPECT_SMC)
		EXPECT(st_quiet(fd, POLLIN, 300));
	MUST_EQ(peer_call(st.peer, P_WRITE_RAW, pfd, (int64_t[4]){}, "data", 4, NULL,
			  0), 4);
	a = accept(fd, NULL, NULL);
	REQUIRE(a >= 0);
	st_prove(a);
	EXPECT(st_wait(a, POLLIN) & POLLIN);
}

static int ask_ioctl(int fd, unsigned long req)
{
	int v = -1;

	return ioctl(fd, req, &v) ? -errno : v;
}

/* A socket that fell back asks TCP, which counts the handshake's last message until the peer's delayed ACK. */
static void outq_settles(int fd)
{
	uint64_t end = st_now_ms() + st_ms(3000);

	while (!st_carried_by_smc(fd) && ask_ioctl(fd, SIOCOUTQ) > 0 && st_now_ms() < end)
		st_sleep_ms(5);
	EQ(ask_ioctl(fd, SIOCOUTQ), 0);
}

static void t_ioctl(void)
{
	int fd = st_socket(0), pfd, port;
	uint64_t end;

	EQ(ask_ioctl(fd, SIOCINQ), 0);
	EQ(ask_ioctl(fd, SIOCOUTQ), 0);
	EQ(ask_ioctl(fd, SIOCOUTQNSD), 0);
	EQ(ask_ioctl(fd, SIOCATMARK), 0);
	close(fd);
	fd = st_listen(1, &port);
	EQ(ask_ioctl(fd, SIOCINQ), -EINVAL);
	EQ(ask_ioctl(fd, SIOCOUTQ), -EINVAL);
	EQ(ask_ioctl(fd, SIOCOUTQNSD), -EINVAL);
	close(fd);
	st_pair(&fd, &pfd);
	EQ(ask_ioctl(fd, SIOCINQ), 0);
	outq_settles(fd);
	EQ(ask_ioctl(fd, SIOCOUTQNSD), 0);
	EQ(ask_ioctl(fd, 0x12345678), -ENOTTY);
	MUST_EQ(p_do(st.peer, P_SENDALL, pfd, 12345), 12345);
	EQ(st_wait_inq(fd, 12345), 12345);
	EQ(p_do(st.peer, P_IOCTL, pfd, SIOCOUTQNSD), 0);
	EQ(peer_out(st.peer, 0), 0);
	/* All taken over by the peer's kernel: nothing outstanding. */
	end = st_now_ms() + st_ms(3000);
	do {
		EQ(p_do(st.peer, P_IOCTL, pfd, SIOCOUTQ), 0);
	} while (peer_out(st.peer, 0) && st_now_ms() < end);
	if (!st_carried_by_smc(fd))
		EQ(peer_out(st.peer, 0), 0);
	p_do(st.peer, P_SHUTDOWN, pfd, SHUT_WR);
	EXPECT(st_wait(fd, POLLRDHUP) & POLLRDHUP);
	EQ(ask_ioctl(fd, SIOCINQ), 12345);
}

static void t_outq(void)
{
	static char b[20000];
	long sent = 0, k;
	int fd, pfd, q;

	st_pair_opts(&fd, &pfd, 16384, 200000);
	st_nonblock(fd, true);
	while ((k = send(fd, b, sizeof(b), 0)) > 0)
		sent += k;
	st_sleep_ms(50);
	q = ask_ioctl(fd, SIOCOUTQ);
	EXPECT(q > 0 && q <= sent);
	k = ask_ioctl(fd, SIOCOUTQNSD);
	EXPECT(k >= 0 && k <= q);
}

/* What TCP sends to this port gets no further; what RDMA does, does. 0: all does again. */
static void cut(int port)
{
	const char *dev = st_two_machines() ? "eth0" : "lo";

	if (port)
		st_shell(peer_self(), "{ modprobe -a sch_ingress cls_u32 act_gact; tc qdisc add dev %s clsact; } 2>/dev/null; "
			 "tc filter add dev %s ingress protocol ip prio 31 u32 match ip dport %d 0xffff action drop; "
			 "tc filter add dev %s ingress protocol ipv6 prio 32 u32 match ip6 dport %d 0xffff action drop",
			 dev, dev, port, dev, port);
	else
		st_shell(peer_self(), "tc filter del dev %s ingress prio 31; tc filter del dev %s ingress prio 32", dev, dev);
}

/* TCP's keepalive, which ends a connection whose path is dead, is the program's own affair, over SMC, too. */
static void dead_path(int probes, int user_timeout)
{
	struct sockaddr_storage ss;
	socklen_t l = sizeof(ss);
	uint64_t t0;
	int fd, pfd;
	char c;

	st_pair(&fd, &pfd);
	EQ(st_set_int(fd, SOL_SOCKET, SO_KEEPALIVE, 1), 0);
	EQ(st_set_int(fd, IPPROTO_TCP, TCP_KEEPIDLE, 1), 0);
	EQ(st_set_int(fd, IPPROTO_TCP, TCP_KEEPINTVL, 1), 0);
	EQ(st_set_int(fd, IPPROTO_TCP, TCP_KEEPCNT, probes), 0);
	if (user_timeout)
		EQ(st_set_int(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, user_timeout), 0);
	EQ(getsockname(fd, (void *)&ss, &l), 0);
	EXPECT(st_quiet(fd, POLLIN, 2500));
	cut(st_addr_port(&ss));
	t0 = st_now_ms();
	EXPECT(st_poll(fd, POLLIN, st_ms(15000)) & POLLIN);
	FAILS(recv(fd, &c, 1, MSG_DONTWAIT), ETIMEDOUT);
	st_note("ended after %d ms", (int)(st_now_ms() - t0));
	cut(0);
}

static void t_keepalive(void)
{
	dead_path(2, 0);
}

static void t_user_timeout(void)
{
	dead_path(60, 2000);
}

static void t_buffers(void)
{
	static const int sizes[] = { 0, 1, 4096, 16384, 100000, 1 << 20, 64 << 20 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		int fd, pfd;

		st_pair_opts(&fd, &pfd, sizes[i], sizes[i]);
		MUST_EQ(p_do(st.peer, P_SEND, pfd, 100, 0, 0, 1), 100);
		EQ(p_do(peer_self(), P_RECVALL, fd, 100, 0, 0, 1), 100);
		close(fd);
		p_do(st.peer, P_CLOSE, pfd);
	}
}

static const struct st_case cases[] = {
	{ "as TCP, unconnected", t_unconnected },
	{ "as TCP, listener", t_listener },
	{ "as TCP, connected", t_connected, true },
	{ "inherited from the listener", t_inherited },
	{ "lengths and pointers", t_lengths },
	{ "TCP_INFO", t_tcp_info, true },
	{ "TCP_NODELAY, TCP_CORK", t_nodelay_cork, true },
	{ "TCP_CORK before there is a connection", t_corked_before, true },
	{ "TCP_ZEROCOPY_RECEIVE", t_zerocopy_receive, true },
	{ "TCP_DEFER_ACCEPT", t_defer_accept },
	{ "SIOCINQ, OUTQ, OUTQNSD, ATMARK", t_ioctl, true },
	{ "SIOCOUTQ of a full stream", t_outq, true },
	{ "SO_SNDBUF, SO_RCVBUF", t_buffers, true },
	{ "SO_KEEPALIVE on a dead path", t_keepalive, true, .secs = 60, .exists = st_two_machines },
	{ "TCP_USER_TIMEOUT on a dead path", t_user_timeout, true, .secs = 60, .exists = st_two_machines },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "sockopt", cases, ARRAY_SIZE(cases));
}
