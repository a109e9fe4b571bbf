// SPDX-License-Identifier: GPL-2.0
/*
 * What sock_diag tells of connections, read byte by byte as smcss does (offsets written down once more, not taken from the module's
 * headers), against what was sent and received. Both ends are asked: "show LOCAL-PORT PEER-PORT" prints one of this machine.
 *
 * vm-cflags: -Iinclude include/[a-z]*.c -Wno-missing-field-initializers -Wno-sign-compare
 */
#define _GNU_SOURCE
#include "selftest.h"

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#define REQ_LEN 52
#define HEAD_LEN 64
#define CONN_LEN 76
#define LGR_LEN 147
#define EXT_CONN 1
#define EXT_LGR 2
#define BLOCKED 0x80
#define DONE_WRITING 0x80
#define CLOSED 0x40

/* struct info - everything of one socket; a length is 0 where there was none */
struct info {
	uint8_t head[HEAD_LEN], conn[CONN_LEN], lgr[LGR_LEN], fallback[8];
	int conn_len, lgr_len, fallback_len;
	int shutdown;	/* -1: not told */
};

static uint16_t u16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint32_t u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t u64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static int take(uint8_t *to, int cap, const struct rtattr *a)
{
	int len = RTA_PAYLOAD(a);

	memcpy(to, RTA_DATA(a), len < cap ? len : cap);
	return len;
}

static void take_all(struct info *i, const uint8_t *msg, int len)
{
	const struct rtattr *a = (const void *)(msg + HEAD_LEN);

	memset(i, 0, sizeof(*i));
	i->shutdown = -1;
	memcpy(i->head, msg, HEAD_LEN);
	for (len -= HEAD_LEN; RTA_OK(a, len); a = RTA_NEXT(a, len)) {
		if (a->rta_type == 1)
			i->conn_len = take(i->conn, CONN_LEN, a);
		else if (a->rta_type == 2)
			i->lgr_len = take(i->lgr, LGR_LEN, a);
		else if (a->rta_type == 3)
			i->shutdown = *(uint8_t *)RTA_DATA(a);
		else if (a->rta_type == 5)
			i->fallback_len = take(i->fallback, sizeof(i->fallback), a);
	}
}

/* ask() - the socket between these ports, with these extensions; Return: how often it is listed */
static int ask(int own, int other, int ext, struct info *i)
{
	static uint8_t buf[65536] __attribute__((aligned(8)));
	struct { struct nlmsghdr h; uint8_t req[REQ_LEN]; } q = {
		{ sizeof(q), SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST | NLM_F_DUMP }, { [0] = 43, [3] = ext },
	};
	int nl = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG), found = 0;
	struct nlmsghdr *h;
	ssize_t n;

	if (nl < 0 || send(nl, &q, sizeof(q), 0) != sizeof(q))
		return -1;
	while ((n = recv(nl, buf, sizeof(buf), 0)) > 0) {
		for (h = (void *)buf; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
			const uint8_t *msg = NLMSG_DATA(h);

			if (h->nlmsg_type == NLMSG_DONE || h->nlmsg_type == NLMSG_ERROR) {
				close(nl);
				return found;
			}
			if (ntohs(u16(msg + 4)) != own || ntohs(u16(msg + 6)) != other)
				continue;
			found++;
			take_all(i, msg, h->nlmsg_len - NLMSG_HDRLEN);
		}
	}
	close(nl);
	return -1;
}

static int show(int own, int other)
{
	const uint8_t *p;
	struct info i;

	if (ask(own, other, EXT_CONN | EXT_LGR, &i) != 1)
		return 1;
	for (p = (void *)&i; p < (uint8_t *)(&i + 1); p++)
		printf("%02x", *p);
	printf("\n");
	return 0;
}

/* ---- both ends of a pair ---- */

static int fd, pfd, own_port, other_port;

static int port_of(const struct sockaddr_storage *ss)
{
	return ntohs(ss->ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)ss)->sin6_port : ((const struct sockaddr_in *)ss)->sin_port);
}

static void begin(void)
{
	struct sockaddr_storage ss;
	socklen_t l = sizeof(ss);

	st_pair(&fd, &pfd);
	MUST_EQ(getsockname(fd, (void *)&ss, &l), 0);
	own_port = port_of(&ss);
	l = sizeof(ss);
	MUST_EQ(getpeername(fd, (void *)&ss, &l), 0);
	other_port = port_of(&ss);
}

static struct info own(void)
{
	struct info i;

	MUST_EQ(ask(own_port, other_port, EXT_CONN | EXT_LGR, &i), 1);
	MUST_EQ(i.conn_len, CONN_LEN);
	MUST_EQ(i.lgr_len, LGR_LEN);
	return i;
}

static struct info other(void)
{
	const char *hex = st_shell(st.peer, "/tests/pair/conninfo show %d %d", other_port, own_port);
	struct info i;
	unsigned int v;

	for (size_t k = 0; k < sizeof(i); k++) {
		MUST_EQ(sscanf(hex + 2 * k, "%2x", &v), 1);
		((uint8_t *)&i)[k] = v;
	}
	MUST_EQ(i.conn_len, CONN_LEN);
	MUST_EQ(i.lgr_len, LGR_LEN);
	return i;
}

/* The fields of CONNINFO; cursors as bytes since the beginning. */
enum { TOKEN = 0, SNDBUF = 4, RMBE = 8, PEER_RMBE = 12, RX_PROD = 16, RX_CONS = 24, TX_PROD = 32, TX_CONS = 40, RX_PROD_FLAGS = 48,
	RX_STATE = 49, TX_PROD_FLAGS = 50, TX_STATE = 51, TX_PREP = 52, TX_SENT = 60, TX_FIN = 68 };

static uint64_t cursor(const struct info *i, int at, int size_at)
{
	EQ(u16(i->conn + at), 0);
	return (uint64_t)u16(i->conn + at + 2) * u32(i->conn + size_at) + u32(i->conn + at + 4);
}

static uint64_t rx(const struct info *i, int at)
{
	return cursor(i, at, RMBE);
}

static uint64_t tx(const struct info *i, int at)
{
	return cursor(i, at, PEER_RMBE);
}

/* What waits in the sender: prepared, and not yet posted. */
static uint32_t unsent(const struct info *i)
{
	return u32(i->conn + TX_PREP + 4) - u32(i->conn + TX_SENT + 4);
}

static void peer_reads(int n)
{
	static char buf[PEER_MAX];

	EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ n, MSG_WAITALL }, NULL, 0, buf, n), n);
}

static void sends(int n)
{
	static char buf[PEER_MAX];

	EQ(send(fd, buf, n, 0), n);
}

static void t_fresh(void)
{
	struct info a, b;

	begin();
	a = own();
	b = other();
	EXPECT(u32(a.conn + TOKEN) && u32(b.conn + TOKEN));
	EQ(u32(a.conn + PEER_RMBE), u32(b.conn + RMBE));
	EQ(u32(b.conn + PEER_RMBE), u32(a.conn + RMBE));
	EQ(u32(a.conn + RMBE), 65536);
	EQ(u32(a.conn + SNDBUF), 65536);
	for (int at = RX_PROD; at < CONN_LEN; at++)
		EQ(a.conn[at], 0);
}

static void t_bytes(void)
{
	struct info a, b;
	char buf[100];

	begin();
	sends(10000);
	peer_reads(4000);
	b = other();
	EQ(rx(&b, RX_PROD), 10000);
	EQ(rx(&b, RX_CONS), 4000);
	EQ(tx(&b, TX_PROD), 0);
	a = own();
	EQ(tx(&a, TX_PROD), 10000);
	EXPECT(tx(&a, TX_CONS) <= 4000);
	EQ(unsent(&a), 0);
	/* what is sent back says how far the peer has read */
	peer_reads(6000);
	EQ(peer_call(st.peer, P_WRITE_RAW, pfd, (int64_t[4]){}, buf, sizeof(buf), NULL, 0), sizeof(buf));
	EQ(recv(fd, buf, 60, MSG_WAITALL), 60);
	a = own();
	EQ(tx(&a, TX_CONS), 10000);
	EQ(rx(&a, RX_PROD), 100);
	EQ(rx(&a, RX_CONS), 60);
	b = other();
	EQ(tx(&b, TX_PROD), 100);
	EQ(rx(&b, RX_CONS), 10000);
}

static void t_around(void)
{
	int sum = 0;
	struct info a, b;

	begin();
	while (sum < 10 * 65536) {
		sends(9999);
		peer_reads(9999);
		sum += 9999;
	}
	a = own();
	b = other();
	EQ(tx(&a, TX_PROD), sum);
	EQ(u16(a.conn + TX_PROD + 2), sum / 65536);
	EXPECT(tx(&a, TX_CONS) <= (uint64_t)sum && tx(&a, TX_CONS) + 65536 > (uint64_t)sum);
	EQ(rx(&b, RX_PROD), sum);
	EQ(rx(&b, RX_CONS), sum);
}

static long counter(const char *name)
{
	return atol(st_shell(peer_self(), "smcx stat | sed -n 's/^  %s *//p'", name));
}

/* The peer does not read: its element is full, the rest waits here, up to the limit. */
static void t_full(void)
{
	long full, refused, short_sends = 0;
	static char buf[4096];
	struct info a, b;
	int sum = 0, n, unread;

	begin();
	st_nonblock(fd, true);
	full = counter("peer_element_full");
	refused = counter("send_limit_reached");
	/* until nothing moves any more */
	for (int quiet = 0; quiet < 5; quiet++) {
		while ((n = send(fd, buf, sizeof(buf), 0)) > 0) {
			sum += n;
			short_sends += n < (int)sizeof(buf);
			quiet = 0;
		}
		EQ(errno, EAGAIN);
		short_sends++;
		st_sleep_ms(50);
	}
	a = own();
	b = other();
	st_note("%d bytes taken, %ld sends refused or cut short", sum, short_sends);
	EQ(tx(&a, TX_PROD), 65536);
	EQ(tx(&a, TX_CONS), 0);
	EQ(unsent(&a), sum - 65536);
	EQ(u32(a.conn + TX_SENT + 4), 0);
	EXPECT(a.conn[TX_PROD_FLAGS] & BLOCKED);
	EXPECT(b.conn[RX_PROD_FLAGS] & BLOCKED);
	EQ(rx(&b, RX_PROD), 65536);
	EQ(rx(&b, RX_CONS), 0);
	MUST_EQ(ioctl(fd, SIOCOUTQ, &unread), 0);
	EQ(unread, sum - 65536);
	EQ(counter("peer_element_full") - full, 1);
	EQ(counter("send_limit_reached") - refused, short_sends);
	peer_reads(sum);
	a = own();
	EQ(tx(&a, TX_PROD), sum);
	EQ(unsent(&a), 0);
	EXPECT(!(a.conn[TX_PROD_FLAGS] & BLOCKED));
}

/* One send() that sleeps until the peer reads is one that found no place. */
static void t_sleeps(void)
{
	static char buf[200000];
	long refused;

	begin();
	refused = counter("send_limit_reached");
	MUST_EQ(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){ .tv_sec = 1 }, sizeof(struct timeval)), 0);
	EXPECT(send(fd, buf, sizeof(buf), 0) < (ssize_t)sizeof(buf));
	/* once more if room came up while the first messages were under way */
	EXPECT(counter("send_limit_reached") - refused >= 1);
	EXPECT(counter("send_limit_reached") - refused <= 4);
}

static void t_ends(void)
{
	struct info a, b;

	begin();
	EQ(own().shutdown, 0);
	MUST_EQ(shutdown(fd, SHUT_WR), 0);
	EQ(peer_call(st.peer, P_READ_RAW, pfd, (int64_t[4]){ 1, 0 }, NULL, 0, &(char){ 0 }, 1), 0);
	a = own();
	b = other();
	EQ(a.shutdown, 2);
	EQ(a.conn[TX_STATE], DONE_WRITING);
	EQ(a.conn[RX_STATE], 0);
	EQ(b.conn[RX_STATE], DONE_WRITING);
	EQ(b.conn[TX_STATE], 0);
	MUST_EQ(p_do(st.peer, P_CLOSE, pfd), 0);
	EXPECT(st_wait(fd, POLLIN) & POLLIN);
	st_sleep_ms(200);
	if (ask(own_port, other_port, EXT_CONN, &a) == 1 && a.conn_len)
		EXPECT(a.conn[RX_STATE] & CLOSED);
}

static void gid_text(char *text, const struct sockaddr_in *sin)
{
	const uint8_t *p = (const void *)&sin->sin_addr;

	sprintf(text, "0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x", p[0], p[1], p[2], p[3]);
}

static void t_head(void)
{
	char mine[40], theirs[40];
	struct sockaddr_in sin;
	struct info a, b;
	uint64_t cookie;
	socklen_t l = sizeof(cookie);
	struct stat s;

	begin();
	a = own();
	b = other();
	EQ(a.head[0], 43);
	EQ(a.head[1], 1);	/* ACTIVE */
	EQ(a.head[2], 0);	/* SMC-R */
	EQ(u32(a.head + 40), 0);
	if (st.mode->af == AF_INET) {
		peer_local_addr(st.peer, &sin);
		EXPECT(!memcmp(a.head + 8, &sin.sin_addr, 4));
		peer_remote_addr(st.peer, &sin);
		EXPECT(!memcmp(a.head + 24, &sin.sin_addr, 4));
		for (int k = 4; k < 16; k++)
			EXPECT(!a.head[8 + k] && !a.head[24 + k]);
	}
	MUST_EQ(fstat(fd, &s), 0);
	EQ(u32(a.head + 52), s.st_uid);
	EQ(u64(a.head + 56), s.st_ino);
	MUST_EQ(getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &l), 0);
	EQ(u64(a.head + 44), cookie);
	EQ(a.fallback_len, 8);
	EQ(u64(a.fallback), 0);
	/* link group */
	peer_local_addr(st.peer, &sin);
	gid_text(mine, &sin);
	peer_remote_addr(st.peer, &sin);
	gid_text(theirs, &sin);
	EQ(a.lgr[0], b.lgr[0]);
	EXPECT(!strcmp((char *)a.lgr + 1, "rxe0"));
	EQ(a.lgr[65], 1);
	EXPECT(!strcmp((char *)a.lgr + 66, mine));
	EXPECT(!strcmp((char *)a.lgr + 106, theirs));
	EXPECT(!strcmp((char *)b.lgr + 66, theirs));
	EXPECT(!strcmp((char *)b.lgr + 106, mine));
	EQ(a.lgr[146], 0);
	EQ(b.lgr[146], 1);
	/* what is not asked for is not told */
	MUST_EQ(ask(own_port, other_port, 0, &a), 1);
	EQ(a.conn_len + a.lgr_len, 0);
	EQ(a.shutdown, 0);
	MUST_EQ(ask(own_port, other_port, EXT_CONN, &a), 1);
	EXPECT(a.conn_len && !a.lgr_len);
	MUST_EQ(ask(own_port, other_port, EXT_LGR, &a), 1);
	EXPECT(!a.conn_len && a.lgr_len);
}

static const struct st_case cases[] = {
	{ "before any byte", t_fresh },
	{ "bytes both ways", t_bytes },
	{ "around the ring", t_around },
	{ "a peer that does not read", t_full },
	{ "a send that sleeps", t_sleeps },
	{ "the ends", t_ends },
	{ "head, link group, extensions", t_head },
};

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "show"))
		return show(atoi(argv[2]), atoi(argv[3]));
	return st_main(argc, argv, "conninfo", cases, ARRAY_SIZE(cases));
}
