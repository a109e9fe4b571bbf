// SPDX-License-Identifier: GPL-2.0
/* See early.h. */
#define _GNU_SOURCE
#include "early.h"
#include "pattern.h"

#include <netinet/tcp.h>

#define FIRST_PORT 600		/* below the ephemeral ones */
#define LAST_PORT 1000

struct peer *e_self;

/** e_sysctl() - writes one; the name with slashes, below /proc/sys/net */
void e_sysctl(struct peer *p, const char *name, const char *value)
{
	st_shell(p, "echo %s > /proc/sys/net/%s", value, name);
}

/** e_begin() - start of a subtest: both machines may do everything */
void e_begin(void)
{
	struct peer *p[2] = { st.peer, e_self = st_own_session() };

	for (int i = 0; i < 2; i++)
		st_shell(p[i], "cd /proc/sys/net; echo 3 > ipv4/tcp_fastopen; echo 1 > ipv4/tcp_syncookies;"
			 "echo 3 > smc/onertt; echo 0 > smc/onertt_filter; echo 900 > smc/onertt_token_life");
}

/** e_port() - a port that no subtest had before, so that nobody remembers anything about it */
int e_port(void)
{
	FILE *f = fopen("/tmp/e-port", "r");
	int port = FIRST_PORT;

	if (f) {
		if (fscanf(f, "%d", &port) != 1 || ++port >= LAST_PORT)
			port = FIRST_PORT;
		fclose(f);
	}
	f = fopen("/tmp/e-port", "w");
	REQUIRE(f);
	fprintf(f, "%d\n", port);
	fclose(f);
	return port;
}

static const struct st_mode *plain_mode(void)
{
	return st_mode_find(st.mode->af == AF_INET6 && !st.mode->mapped ? "tcp6" : "tcp");
}

static const struct st_mode *listen_mode(int kind)
{
	if (kind == L_DUAL)
		return st_mode_find("smc6");
	if (kind != L_SMC)
		return plain_mode();
	return st.mode->mapped ? st_mode_find("smc") : st.mode;
}

/** e_listen() - listener of the agent. @kind: L_* */
int e_listen(int port, int kind)
{
	const struct st_mode *m = listen_mode(kind);
	/* of IPv4 and IPv6, the port is in the same place, and any address is zero */
	struct sockaddr_in6 any = { .sin6_family = m->af, .sin6_port = htons(port) };
	int fd;

	fd = p_do(st.peer, P_SOCKET, 0, m->domain, SOCK_STREAM, m->proto);
	REQUIRE(fd >= 0);
	EQ(p_set_int(st.peer, fd, SOL_SOCKET, SO_REUSEADDR, 1), 0);
	if (kind & L_TFO)
		EQ(p_set_int(st.peer, fd, IPPROTO_TCP, TCP_FASTOPEN, 64), 0);
	if (kind == L_NO_COOKIE)
		EQ(p_set_int(st.peer, fd, IPPROTO_TCP, TCP_FASTOPEN_NO_COOKIE, 1), 0);
	MUST_EQ(peer_call(st.peer, P_BIND, fd, (int64_t[4]){}, &any, sizeof(any), NULL, 0), 0);
	MUST_EQ(p_do(st.peer, P_LISTEN, fd, 64), 0);
	return fd;
}

/** e_socket() - a socket of the kind under test, or plain */
int e_socket(bool smc)
{
	const struct st_mode *m = smc ? st.mode : plain_mode();
	int fd = socket(m->domain, SOCK_STREAM | SOCK_CLOEXEC, m->proto);

	REQUIRE(fd >= 0);
	return fd;
}

/** e_dial() - connect() to the agent's machine. Return: how long it took in ms; fails if it failed */
int e_dial(int fd, int port)
{
	uint64_t t0 = st_now_ms();

	MUST_EQ(st_connect(fd, port), 0);
	return st_now_ms() - t0;
}

/** e_accept() - agent's descriptor, -1 = nothing came. @ms: time-out, scaled here */
int e_accept(int ls, int ms)
{
	return p_do(st.peer, P_ACCEPT, ls, SOCK_CLOEXEC, st_ms(ms));
}

void e_agent_close(int fd)
{
	MUST_EQ(p_do(st.peer, P_CLOSE, fd), 0);
}

/** e_meet() - one standard handshake with an SMC listener, which announces 1-RTT */
void e_meet(int ls, int port)
{
	int fd = e_socket(true), afd;

	e_dial(fd, port);
	afd = e_accept(ls, 5000);
	REQUIRE(afd >= 0);
	EQ(e_carrier(fd), CARRIER_SMC);
	EQ(e_agent_carrier(afd), CARRIER_SMC);
	e_exchange(fd, afd, 100);
	e_finish(fd, afd);
}

/** e_learn() - makes such a listener known. Return: the listener */
int e_learn(int port)
{
	int ls = e_listen(port, L_SMC);

	e_meet(ls, port);
	return ls;
}

/* Plain TCP and SMC that fell back are the same here. */
static enum carrier plain_or_smc(enum carrier c)
{
	return c == CARRIER_SMC || c == CARRIER_SMC_NOLGR ? CARRIER_SMC : CARRIER_TCP;
}

/** e_carrier() - CARRIER_SMC or CARRIER_TCP */
enum carrier e_carrier(int fd)
{
	struct proof p;

	st_prove(fd);
	REQUIRE(!proof_of(fd, &p));
	return plain_or_smc(p.carrier);
}

enum carrier e_agent_carrier(int fd)
{
	struct proof p;

	MUST_EQ(peer_call(st.peer, P_PROOF, fd, (int64_t[4]){}, NULL, 0, &p, sizeof(p)), 0);
	return plain_or_smc(p.carrier);
}

static void recv_exact(int fd, int n, uint64_t seed)
{
	char buf[4096];

	for (int done = 0; done < n;) {
		int want = n - done < (int)sizeof(buf) ? n - done : (int)sizeof(buf);
		int k = recv(fd, buf, want, 0);

		REQUIRE(k > 0);
		EQ(pat_check(seed, done, buf, k), -1);
		done += k;
	}
}

/** e_exchange() - @n bytes to the agent and @n back; each one is looked at */
void e_exchange(int fd, int afd, int n)
{
	char buf[4096];

	p_post(st.peer, P_RECVALL, afd, n, 0, 0, st.seed);
	for (int done = 0, k; done < n; done += k) {
		k = n - done < (int)sizeof(buf) ? n - done : (int)sizeof(buf);
		pat_fill(st.seed, done, buf, k);
		MUST_EQ(send(fd, buf, k, MSG_NOSIGNAL), k);
	}
	MUST_EQ(p_done(st.peer), n);
	p_post(st.peer, P_SENDALL, afd, n, 0, 0, ~st.seed);
	recv_exact(fd, n, ~st.seed);
	MUST_EQ(p_done(st.peer), n);
}

/** e_finish() - both ends close; not a byte more was there */
void e_finish(int fd, int afd)
{
	char c;

	EQ(shutdown(fd, SHUT_WR), 0);
	EQ(p_do(st.peer, P_RECVALL, afd, 1, 0, 0, st.seed), 0);
	EQ(p_do(st.peer, P_SHUTDOWN, afd, SHUT_WR), 0);
	EQ(recv(fd, &c, 1, 0), 0);
	close(fd);
	/* with our FIN there before its own, TCP there has no TIME_WAIT, which would answer what comes later */
	st_sleep_ms(50);
	e_agent_close(afd);
}

static long number_after(const char *text, const char *key)
{
	const char *p = strstr(text, key);

	return p ? strtol(p + strlen(key), NULL, 10) : -1;
}

/** e_count() - a counter of smcx stat */
long e_count(struct peer *p, const char *name)
{
	char key[80];
	long v;

	snprintf(key, sizeof(key), "\"%s\": ", name);
	v = number_after(st_shell(p, "smcx -j stat"), key);
	if (v < 0)
		st_die(__FILE__, __LINE__, "smcx stat has no %s", name);
	return v;
}

/** e_netstat() - a counter of /proc/net/netstat */
long e_netstat(struct peer *p, const char *name)
{
	const char *out = st_shell(p, "awk '{ for (i = 2; i <= NF; i++) if ($i == \"%s\") n = i }"
				   "n && $n ~ /^[0-9]/ { print $n; n = 0 }' /proc/net/netstat", name);

	REQUIRE(*out);
	return strtol(out, NULL, 10);
}

/** e_known() - a number that smcx peers shows of the server on that port, 0 if it is not there */
long e_known(int port, const char *name)
{
	char key[80];
	const char *p;

	snprintf(key, sizeof(key), "\"port\": %d,", port);
	p = strstr(st_shell(e_self, "smcx -j peers"), key);
	if (!p)
		return 0;
	snprintf(key, sizeof(key), "\"%s\": ", name);
	return number_after(p, key);
}

/** e_view() - looks through the middle box's log */
void e_view(struct midbox *m, struct e_view *v)
{
	const struct wire_pkt *p;
	uint32_t isn = 0;
	bool answered = false;
	int n, sport = 0;

	memset(v, 0, sizeof(*v));
	p = mb_log(m, &n);
	for (; n; n--, p++) {
		if (wire_is(p, true, WF_SYN)) {
			if (!v->syns++) {
				v->syn_data = p->len;
				isn = p->seq;
				sport = p->sport;
			} else if (p->len) {
				v->more_data++;
			}
		} else if (wire_is(p, false, WF_SYN | WF_ACK) && (v->syns > 1 || p->dport == sport)) {
			v->synack_smc = p->smc;
			if (!answered)
				v->acked = p->ack - isn > 1;
			answered = true;
		} else if (p->flags & WF_RST) {
			*(p->out ? &v->rst_out : &v->rst_in) += 1;
		} else if (p->out && wire_has_proposal(p)) {
			v->proposals++;
		}
	}
}

/* Bytes of the aborted connection as the application read them: the Proposal at most. */
static int leaked(int ls)
{
	char buf[2048];
	int afd = e_accept(ls, 5000), n;

	REQUIRE(afd >= 0);
	n = peer_call(st.peer, P_READ_RAW, afd, (int64_t[4]){ sizeof(buf) }, NULL, 0,
		      buf, sizeof(buf));
	if (n > 0)
		EXPECT(n > 4 && !memcmp(buf, "\xe2\xd4\xc3\xd9\x01", 5));
	/* No more than this, and not an orderly end. */
	if (n > 0)
		FAILS(peer_call(st.peer, P_READ_RAW, afd, (int64_t[4]){ sizeof(buf) },
				NULL, 0, buf, sizeof(buf)), ECONNRESET);
	else
		EQ(n, -1);
	e_agent_close(afd);
	return n;
}

/** e_taken() - connects to a plain server that takes data in SYNs: seen once at most, reset, TCP with a new connection */
void e_taken(struct midbox *m, int port, int ls)
{
	long reset = e_count(e_self, "onertt_reset");
	int fd = e_socket(true), afd;
	struct e_view v;

	EXPECT(e_dial(fd, port) < st_ms(1500));
	st_note("%d bytes reached the application", leaked(ls));
	afd = e_accept(ls, 5000);
	REQUIRE(afd >= 0);
	EQ(e_carrier(fd), CARRIER_TCP);
	e_exchange(fd, afd, 20000);
	e_finish(fd, afd);
	e_view(m, &v);
	EXPECT(v.syn_data > 80);
	EXPECT(v.acked);
	EQ(v.syns, 2);
	EQ(v.more_data, 0);
	EQ(v.proposals, 0);
	EXPECT(v.rst_out >= 1);
	EQ(e_count(e_self, "onertt_reset") - reset, 1);
}

/** e_state_take() - counts of a machine */
void e_state_take(struct peer *p, struct e_state *s)
{
	const char *out = st_shell(p, "rdma resource show 2>/dev/null; echo;"
				   "smcx -j lgr | awk -F'\"connections\": ' '/connections/ { n++; c += $2 } "
				   "END { print \"lgr \" n + 0; print \"conns \" c + 0 }';"
				   "echo tcp $(ss -Htan state all exclude listening exclude time-wait | "
				   "awk '{ sub(/.*:/, \"\", $4); sub(/.*:/, \"\", $5);"
				   "if (($4 >= %d && $4 < %d) || ($5 >= %d && $5 < %d)) n++ } END { print n + 0 }');"
				   "smcx -j stat", FIRST_PORT, LAST_PORT, FIRST_PORT, LAST_PORT);

	s->qp = number_after(out, " qp ");
	s->cq = number_after(out, " cq ");
	s->mr = number_after(out, " mr ");
	s->lgr = number_after(out, "lgr ");
	s->conns = number_after(out, "conns ");
	s->tcp = number_after(out, "tcp ");
	s->socks = number_after(out, "\"sockets_now\": ");
}

static void show(const char *what, const struct e_state *s)
{
	st_note("%s: qp %ld cq %ld mr %ld, link groups %ld with %ld connections, sockets %ld TCP %ld",
		what, s->qp, s->cq, s->mr, s->lgr, s->conns, s->socks, s->tcp);
}

/** e_fresh_device() - no link group, on either machine */
void e_fresh_device(void)
{
	struct peer *p[2] = { e_self, st.peer };

	for (int i = 0; i < 2; i++)
		st_shell(p[i], "rdma link delete $IBDEV; rdma link add $IBDEV type rxe netdev $DEV");
	st_sleep_ms(st_ms(300));
}

static void keep(int i, struct e_state *s, bool save)
{
	char path[40];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/e-state.%d", i);
	f = fopen(path, save ? "w" : "r");
	if (!f)
		st_skip("the first subtest did not run");
	if (save)
		fwrite(s, sizeof(*s), 1, f);
	else
		MUST_EQ(fread(s, sizeof(*s), 1, f), 1);
	fclose(f);
}

/** e_state_first() - first subtest: what there is before anything happened */
void e_state_first(void)
{
	struct peer *p[2];
	struct e_state s;

	e_begin();
	p[0] = e_self;
	p[1] = st.peer;
	e_fresh_device();
	for (int i = 0; i < 2; i++) {
		e_state_take(p[i], &s);
		show(i ? "server" : "client", &s);
		EQ(s.lgr, 0);
		keep(i, &s, true);
	}
}

/* At most one group stays, with its queue pair and elements of which none is in use. */
static bool idle(const struct e_state *before, const struct e_state *now)
{
	return now->conns == 0 && now->lgr <= 1 && now->qp - now->lgr == before->qp &&
	       now->socks == before->socks && now->tcp == before->tcp;
}

/** e_state_last() - last subtest: nothing is in use, and without the group nothing is there */
void e_state_last(void)
{
	struct e_state before[2], now;
	struct peer *p[2];

	e_begin();
	p[0] = e_self;
	p[1] = st.peer;
	for (int i = 0; i < 2; i++) {
		uint64_t end = st_now_ms() + st_ms(15000);

		keep(i, &before[i], false);
		do {
			e_state_take(p[i], &now);
		} while (!idle(&before[i], &now) && st_now_ms() < end);
		show(i ? "server" : "client", &now);
		if (!idle(&before[i], &now))
			st_fail(__FILE__, __LINE__, "something is in use on the %s",
				i ? "server" : "client");
	}
	e_fresh_device();
	for (int i = 0; i < 2; i++) {
		e_state_take(p[i], &now);
		show("without a group", &now);
		EXPECT(!memcmp(&before[i], &now, sizeof(now)));
	}
}

/** e_syn() - the first SYN with data in the box's log, a copy */
void e_syn(struct midbox *m, struct wire_pkt *syn)
{
	int n;
	const struct wire_pkt *p = mb_log(m, &n);

	while (n && !(wire_is(p, true, WF_SYN) && p->len)) {
		p++;
		n--;
	}
	REQUIRE(n);
	*syn = *p;
}

/**
 * e_forge() - makes another client's SYN of a captured one
 * @syn: changed
 * @sport: source port
 * @isn: initial sequence number
 * @data: payload instead of the captured one, or NULL
 * @len: its length
 */
void e_forge(struct wire_pkt *syn, int sport, uint32_t isn, const void *data, int len)
{
	uint8_t *th = syn->frame + syn->l4;

	th[0] = sport >> 8;
	th[1] = sport;
	for (int i = 0; i < 4; i++)
		th[4 + i] = isn >> (24 - 8 * i);
	if (data) {
		REQUIRE(syn->data + len <= WIRE_FRAME);
		memcpy(syn->frame + syn->data, data, len);
		wire_resize(syn, syn->data + len - syn->size);
	}
	wire_checksum(syn);
	wire_parse(syn);
}
