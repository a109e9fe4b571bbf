// SPDX-License-Identifier: GPL-2.0
/*
 * Every way an SMC socket can end up as TCP: the connection works at once, in
 * both directions, whoever speaks first, and both machines know why. The cases
 * that break something (device, EID, PNET, IPsec) need "--peer" and put it
 * back afterwards.
 *
 * vm-cflags: -Iinclude include/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 * vm-test: timeout=150
 */
#define _GNU_SOURCE
#include "selftest.h"

#include <netinet/tcp.h>
#include <sys/epoll.h>

#include <linux/xfrm.h>

#define R_PEERNOSMC	0x03010000u
#define R_IPSEC		0x03020000u
#define R_OPTUNSUPP	0x03060000u

#define R_PEERDECL	0x05000000u
#define R_NODEV		0x03030000u	/* to 0x0303ffff: device, version, EID */
#define R_ANY		0xffffffffu

static struct peer *self;

/* On one machine, or for TCP, there is nothing to break. */
static bool breakable(void)
{
	return st.mode->smc && st_two_machines();
}

static bool breakable_ipv6(void)
{
	return breakable() && st_is_ipv6() && !st.mode->mapped;
}

static bool is_ipv4(void)
{
	return st.mode->af == AF_INET;
}

static bool reason_is(uint32_t got, uint32_t want)
{
	if (want == R_ANY)
		return got != 0;
	if (want == R_NODEV)
		return got >> 16 == 0x0303;
	return got == want;
}

/* The reason can be read after the fact, by whoever asks. */
static void check_reason(const char *who, const struct proof *p, uint32_t want)
{
	st_note("%s: %s, reason %#x, peer's %#x", who, proof_name(p->carrier),
		p->reason, p->peer_reason);
	if (p->carrier != CARRIER_FALLBACK)
		st_fail(__FILE__, __LINE__, "%s is not listed as fallen back", who);
	else if (!reason_is(p->reason, want))
		st_fail(__FILE__, __LINE__, "%s: reason %#x, want %#x", who,
			p->reason, want);
}

static void exchange(int fd, int pfd, bool peer_first)
{
	char buf[8];

	for (int i = 0; i < 2; i++) {
		if (i == !peer_first) {
			EQ(peer_call(st.peer, P_WRITE_RAW, pfd, (int64_t[4]){},
				     "pong", 4, NULL, 0), 4);
			EQ(recv(fd, buf, 4, MSG_WAITALL), 4);
			EXPECT(!memcmp(buf, "pong", 4));
		} else {
			EQ(send(fd, "ping", 4, MSG_NOSIGNAL), 4);
			EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 4,
				     MSG_WAITALL }, NULL, 0, buf, 4), 4);
			EXPECT(!memcmp(buf, "ping", 4));
		}
	}
}

/* A pair whose ends may be of different kinds. */
static void pair_of(bool own_plain, bool peer_plain, int *fd, int *pfd)
{
	int dom[2] = { own_plain ? st.mode->af : st.mode->domain,
		       peer_plain ? st.mode->af : st.mode->domain };
	int proto[2] = { own_plain ? 0 : st.mode->proto,
			 peer_plain ? 0 : st.mode->proto };
	struct sockaddr_storage ss;
	socklen_t l = st_addr_any(&ss, 0);
	uint64_t t0;
	int ls;

	if (st.role == ROLE_CLIENT) {
		ls = p_do(st.peer, P_SOCKET, 0, dom[1], SOCK_STREAM, proto[1]);
		MUST_EQ(peer_call(st.peer, P_BIND, ls, (int64_t[4]){}, &ss, l, NULL, 0), 0);
		MUST_EQ(p_do(st.peer, P_LISTEN, ls, 8), 0);
		MUST_EQ(peer_call(st.peer, P_GETSOCKNAME, ls, (int64_t[4]){}, NULL,
				  0, &ss, sizeof(ss)), 0);
		*fd = socket(dom[0], SOCK_STREAM, proto[0]);
		t0 = st_now_ms();
		MUST_EQ(st_connect(*fd, st_addr_port(&ss)), 0);
		*pfd = p_do(st.peer, P_ACCEPT, ls, 0, st_ms(5000));
		REQUIRE(*pfd >= 0);
	} else {
		ls = socket(dom[0], SOCK_STREAM, proto[0]);
		MUST_EQ(bind(ls, (void *)&ss, l), 0);
		MUST_EQ(listen(ls, 8), 0);
		MUST_EQ(getsockname(ls, (void *)&ss, &l), 0);
		l = st_addr(&ss, false, st_addr_port(&ss));
		*pfd = p_do(st.peer, P_SOCKET, 0, dom[1], SOCK_STREAM, proto[1]);
		t0 = st_now_ms();
		MUST_EQ(peer_call(st.peer, P_CONNECT, *pfd, (int64_t[4]){}, &ss, l,
				  NULL, 0), 0);
		EXPECT(st_wait(ls, POLLIN) & POLLIN);
		*fd = accept(ls, NULL, NULL);
		REQUIRE(*fd >= 0);
		close(ls);
	}
	/* No handshake time-out may hide in it. */
	EXPECT(st_now_ms() - t0 < st_ms(1500));
}

static void proofs(int fd, int pfd, struct proof *own, struct proof *other)
{
	REQUIRE(!proof_of(fd, own));
	MUST_EQ(peer_call(st.peer, P_PROOF, pfd, (int64_t[4]){}, NULL, 0, other,
			  sizeof(*other)), 0);
}

static void plain(bool own_plain, bool peer_plain, bool peer_first)
{
	struct proof own, other;
	int fd, pfd;

	pair_of(own_plain, peer_plain, &fd, &pfd);
	exchange(fd, pfd, peer_first);
	proofs(fd, pfd, &own, &other);
	if (st.mode->smc)
		check_reason(own_plain ? "peer" : "self", own_plain ? &other : &own,
			     R_PEERNOSMC);
	p_do(st.peer, P_SHUTDOWN, pfd, SHUT_WR);
	EQ(recv(fd, &(char){ 0 }, 1, 0), 0);
	close(fd);
	p_do(st.peer, P_CLOSE, pfd);
}

static void t_plain_peer(void)
{
	plain(false, true, false);
	plain(false, true, true);
}

static void t_plain_self(void)
{
	plain(true, false, false);
	plain(true, false, true);
}

/* The event loop of a client that fell back: nothing is lost on the way. */
static void t_epoll(void)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLOUT | EPOLLET };
	struct sockaddr_storage ss;
	socklen_t l = st_addr_any(&ss, 0);
	int ls, fd, pfd, ep = epoll_create1(0);
	char buf[4];

	ls = p_do(st.peer, P_SOCKET, 0, st.mode->af, SOCK_STREAM, 0);
	MUST_EQ(peer_call(st.peer, P_BIND, ls, (int64_t[4]){}, &ss, l, NULL, 0), 0);
	MUST_EQ(p_do(st.peer, P_LISTEN, ls, 8), 0);
	MUST_EQ(peer_call(st.peer, P_GETSOCKNAME, ls, (int64_t[4]){}, NULL, 0, &ss,
			  sizeof(ss)), 0);
	fd = st_socket(SOCK_NONBLOCK);
	MUST_EQ(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev), 0);
	epoll_wait(ep, &ev, 1, 0);
	FAILS(st_connect(fd, st_addr_port(&ss)), EINPROGRESS);
	EQ(epoll_wait(ep, &ev, 1, st_ms(5000)), 1);
	EQ(ev.events, EPOLLOUT);
	pfd = p_do(st.peer, P_ACCEPT, ls, 0, st_ms(5000));
	EQ(peer_call(st.peer, P_WRITE_RAW, pfd, (int64_t[4]){}, "data", 4, NULL, 0), 4);
	EQ(epoll_wait(ep, &ev, 1, st_ms(5000)), 1);
	EXPECT(ev.events & EPOLLIN);
	EQ(recv(fd, buf, 4, 0), 4);
}

static int fastopen_server(int *port)
{
	struct sockaddr_storage ss;
	socklen_t l = st_addr_any(&ss, 0);
	int ls = p_do(st.peer, P_SOCKET, 0, st.mode->domain, SOCK_STREAM,
		      st.mode->proto);

	EQ(p_set_int(st.peer, ls, IPPROTO_TCP, TCP_FASTOPEN, 5), 0);
	MUST_EQ(peer_call(st.peer, P_BIND, ls, (int64_t[4]){}, &ss, l, NULL, 0), 0);
	MUST_EQ(p_do(st.peer, P_LISTEN, ls, 8), 0);
	MUST_EQ(peer_call(st.peer, P_GETSOCKNAME, ls, (int64_t[4]){}, NULL, 0, &ss,
			  sizeof(ss)), 0);
	*port = st_addr_port(&ss);
	return ls;
}

static void check_own(int fd, uint32_t want)
{
	struct proof own;

	REQUIRE(!proof_of(fd, &own));
	if (st.mode->smc)
		check_reason("self", &own, want);
}

static void t_fastopen(void)
{
	int port, ls = fastopen_server(&port), fd, pfd;
	struct sockaddr_storage ss;
	socklen_t l;
	char buf[4];

	fd = st_socket(0);
	EQ(st_set_int(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, 1), 0);
	EQ(st_connect(fd, port), 0);
	EQ(send(fd, "ping", 4, 0), 4);
	pfd = p_do(st.peer, P_ACCEPT, ls, 0, st_ms(5000));
	EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 4, MSG_WAITALL }, NULL,
		     0, buf, 4), 4);
	check_own(fd, R_OPTUNSUPP);
	close(fd);

	fd = st_socket(0);
	l = st_addr(&ss, true, port);
	EQ(sendto(fd, "ping", 4, MSG_FASTOPEN, (void *)&ss, l), 4);
	pfd = p_do(st.peer, P_ACCEPT, ls, 0, st_ms(5000));
	EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 4, MSG_WAITALL }, NULL,
		     0, buf, 4), 4);
	check_own(fd, R_OPTUNSUPP);
	close(fd);
}

/* Connect with something broken on one machine, then again with it mended. */
static void broken(struct peer *where, const char *breaks, const char *mends,
		   uint32_t own_reason, uint32_t peer_reason)
{
	struct proof own, other;
	int fd, pfd;

	st_shell(where, "%s", breaks);
	pair_of(false, false, &fd, &pfd);
	exchange(fd, pfd, true);
	proofs(fd, pfd, &own, &other);
	check_reason("self", &own, own_reason);
	check_reason("peer", &other, peer_reason);
	close(fd);
	p_do(st.peer, P_CLOSE, pfd);
	st_shell(where, "%s", mends);
	st_sleep_ms(500);
	if (st.mode->af == AF_INET6 && !st.mode->mapped)
		return;
	pair_of(false, false, &fd, &pfd);
	exchange(fd, pfd, false);
	proofs(fd, pfd, &own, &other);
	EQ(own.carrier, CARRIER_SMC);
	EQ(other.carrier, CARRIER_SMC);
}

#define DEL_DEV "rdma link delete $IBDEV"
#define ADD_DEV "rdma link add $IBDEV type rxe netdev $DEV"

static void t_no_device(void)
{
	broken(self = st_own_session(), DEL_DEV, ADD_DEV, R_NODEV, R_PEERDECL);
}

static void t_no_device_peer(void)
{
	broken(st.peer, DEL_DEV, ADD_DEV, R_PEERDECL, R_NODEV);
}

static void t_eid(void)
{
	broken(self = st_own_session(), "smcx eid add OTHER.EID; smcx eid del SMCX.DEFAULT",
	       "smcx eid add SMCX.DEFAULT; smcx eid del OTHER.EID", R_ANY, R_ANY);
}

static void t_pnet(void)
{
	broken(self = st_own_session(),
	       "smcx pnet add ONE eth $DEV; smcx pnet add TWO ib $IBDEV port 1",
	       "smcx pnet flush", R_ANY, R_ANY);
}

static void t_syncookies(void)
{
	broken(st.role == ROLE_CLIENT ? st.peer : (self = st_own_session()),
	       "sysctl -q -w net.ipv4.tcp_syncookies=2",
	       "sysctl -q -w net.ipv4.tcp_syncookies=1", R_PEERNOSMC, R_PEERNOSMC);
}

/* A policy of the socket's own that lets everything pass is one, too. */
static void t_ipsec(void)
{
	struct xfrm_userpolicy_info pol = {
		.sel.family = AF_INET, .dir = XFRM_POLICY_OUT,
		.action = XFRM_POLICY_ALLOW,
	};
	struct sockaddr_storage ss;
	socklen_t l = st_addr_any(&ss, 0);
	int ls, fd, pfd;

	st_shell(peer_self(), "modprobe xfrm_user 2>&1");
	ls = p_do(st.peer, P_SOCKET, 0, st.mode->domain, SOCK_STREAM, st.mode->proto);
	MUST_EQ(peer_call(st.peer, P_BIND, ls, (int64_t[4]){}, &ss, l, NULL, 0), 0);
	MUST_EQ(p_do(st.peer, P_LISTEN, ls, 8), 0);
	MUST_EQ(peer_call(st.peer, P_GETSOCKNAME, ls, (int64_t[4]){}, NULL, 0, &ss,
			  sizeof(ss)), 0);
	fd = st_socket(0);
	pol.lft.soft_byte_limit = pol.lft.hard_byte_limit = XFRM_INF;
	pol.lft.soft_packet_limit = pol.lft.hard_packet_limit = XFRM_INF;
	if (setsockopt(fd, IPPROTO_IP, IP_XFRM_POLICY, &pol, sizeof(pol)))
		st_skip("the kernel takes no policy: %s", strerror(errno));
	MUST_EQ(st_connect(fd, st_addr_port(&ss)), 0);
	pfd = p_do(st.peer, P_ACCEPT, ls, 0, st_ms(5000));
	REQUIRE(pfd >= 0);
	exchange(fd, pfd, false);
	check_own(fd, st_two_machines() ? R_IPSEC : R_ANY);
}

/* A route over another device than the one RDMA sits on. */
static void t_loopback(void)
{
	struct sockaddr_storage ss;
	int port, ls, fd, a;
	struct proof own;
	socklen_t l;
	char c;

	ls = st_listen(4, &port);
	fd = st_socket(0);
	l = st_addr(&ss, false, port);
	MUST_EQ(connect(fd, (void *)&ss, l), 0);
	a = accept(ls, NULL, NULL);
	REQUIRE(a >= 0);
	EQ(send(a, "x", 1, 0), 1);
	EQ(recv(fd, &c, 1, 0), 1);
	REQUIRE(!proof_of(fd, &own));
	if (st.mode->smc && own.carrier != CARRIER_SMC)
		check_reason("client", &own, R_ANY);
	REQUIRE(!proof_of(a, &own));
	if (st.mode->smc && own.carrier != CARRIER_SMC)
		check_reason("server", &own, R_ANY);
}

/* Version 2 finds the ports by their IPv4 addresses and does not mind what the connection's are. */
static void t_ipv6(void)
{
	struct proof own, other;
	int fd, pfd;

	pair_of(false, false, &fd, &pfd);
	exchange(fd, pfd, false);
	proofs(fd, pfd, &own, &other);
	EQ(own.carrier, CARRIER_SMC);
	EQ(other.carrier, CARRIER_SMC);
}

static const struct st_case cases[] = {
	{ "peer is plain TCP", t_plain_peer, true },
	{ "self is plain TCP", t_plain_self, true },
	{ "epoll edge over it", t_epoll },
	{ "TCP_FASTOPEN", t_fastopen },
	{ "loopback", t_loopback },
	{ "no device here", t_no_device, true, .secs = 40, .exists = breakable },
	{ "no device at the peer", t_no_device_peer, true, .secs = 40, .exists = breakable },
	{ "EIDs differ", t_eid, true, .exists = breakable },
	{ "PNET ids differ", t_pnet, true, .exists = breakable },
	{ "SYN cookies", t_syncookies, true, .exists = breakable },
	{ "IPsec policy", t_ipsec, .exists = is_ipv4 },
	{ "IPv6", t_ipv6, true, .exists = breakable_ipv6 },
};

int main(int argc, char **argv)
{
	return st_main(argc, argv, "fallback", cases, ARRAY_SIZE(cases));
}
