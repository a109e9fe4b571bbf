// SPDX-License-Identifier: GPL-2.0
/*
 * The netlink interfaces word by word: what they refuse and with which errno, who may
 * change things, and that nonsense harms nobody. By hand, to be able to send nonsense.
 *
 * vm-test: timeout=60
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/userfaultfd.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/smcx.h>
#include <linux/smcx_abi.h>

struct msg {
	struct nlmsghdr nl;
	struct genlmsghdr ge;
	char attrs[2048];
};

static int points, failures;
static int gen_id, pnet_id, own_id;

static void check(bool ok, const char *text)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++points, text);
	failures += !ok;
}

static void is(int got, int want, const char *text)
{
	if (got != want)
		printf("# got %d (%s), want %d (%s)\n", got, strerror(got), want, strerror(want));
	check(got == want, text);
}

static int bus(int protocol)
{
	struct timeval tv = { .tv_sec = 10 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);

	if (fd < 0) {
		perror("netlink socket");
		exit(1);
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	return fd;
}

typedef void (*reply_fn)(const struct nlmsghdr *nl, void *arg);

/* Positive errno of the answer; each message of it goes to @fn. */
static int ask(int protocol, const void *msg, size_t len, reply_fn fn, void *arg)
{
	static char buf[65536] __attribute__((aligned(8)));
	int fd = bus(protocol), err = -1;

	if (send(fd, msg, len, 0) < 0)
		err = errno;
	while (err < 0) {
		int n = recv(fd, buf, sizeof(buf), 0);
		struct nlmsghdr *nl = (void *)buf;

		if (n < 0)
			err = errno;
		for (; err < 0 && NLMSG_OK(nl, n); nl = NLMSG_NEXT(nl, n)) {
			if (nl->nlmsg_type == NLMSG_ERROR)
				err = -((struct nlmsgerr *)NLMSG_DATA(nl))->error;
			else if (nl->nlmsg_type == NLMSG_DONE)
				err = 0;
			else if (fn)
				fn(nl, arg);
		}
	}
	close(fd);
	return err;
}

static void genl(struct msg *m, int id, int cmd, int flags)
{
	memset(m, 0, sizeof(*m));
	m->nl.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	m->nl.nlmsg_type = id;
	m->nl.nlmsg_flags = NLM_F_REQUEST | flags;
	m->ge.cmd = cmd;
	m->ge.version = 1;
}

static void attr(struct msg *m, int type, const void *data, size_t len)
{
	struct nlattr *a = (void *)((char *)m + NLMSG_ALIGN(m->nl.nlmsg_len));

	a->nla_type = type;
	a->nla_len = NLA_HDRLEN + len;
	memcpy((char *)a + NLA_HDRLEN, data, len);
	m->nl.nlmsg_len = NLMSG_ALIGN(m->nl.nlmsg_len) + NLA_ALIGN(a->nla_len);
}

static const void *find(const struct nlmsghdr *nl, int type, int *len)
{
	const struct nlattr *a = (const void *)((const char *)NLMSG_DATA(nl) + GENL_HDRLEN);
	int left = nl->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN);

	while (left >= NLA_HDRLEN && a->nla_len >= NLA_HDRLEN && a->nla_len <= left) {
		if ((a->nla_type & NLA_TYPE_MASK) == type) {
			*len = a->nla_len - NLA_HDRLEN;
			return (const char *)a + NLA_HDRLEN;
		}
		left -= NLA_ALIGN(a->nla_len);
		a = (const void *)((const char *)a + NLA_ALIGN(a->nla_len));
	}
	return NULL;
}

static int ask_genl(struct msg *m, reply_fn fn, void *arg)
{
	return ask(NETLINK_GENERIC, m, m->nl.nlmsg_len, fn, arg);
}

static void on_family(const struct nlmsghdr *nl, void *arg)
{
	const uint16_t *id;
	int len;

	id = find(nl, CTRL_ATTR_FAMILY_ID, &len);
	*(int *)arg = id ? *id : 0;
}

static int family(const char *name)
{
	struct msg m;
	int id = 0;

	genl(&m, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NLM_F_ACK);
	attr(&m, CTRL_ATTR_FAMILY_NAME, name, strlen(name) + 1);
	ask_genl(&m, on_family, &id);
	return id;
}

/* ---- EIDs ---- */

static int eid(int cmd, const char *text, size_t len)
{
	struct msg m;

	genl(&m, gen_id, cmd, NLM_F_ACK);
	if (text)
		attr(&m, SMCX_EID_ENTRY, text, len);
	return ask_genl(&m, NULL, NULL);
}

static int eid_padded(int cmd, const char *name)
{
	char text[33];

	snprintf(text, sizeof(text), "%-32s", name);
	return eid(cmd, text, sizeof(text));
}

struct eids {
	int n;
	char text[8][33];
};

static void on_eid(const struct nlmsghdr *nl, void *arg)
{
	struct eids *e = arg;
	const char *text;
	int len;

	text = find(nl, SMCX_EID_ENTRY, &len);
	if (text && len == 33 && e->n < 8)
		memcpy(e->text[e->n++], text, len);
}

static int dump_eids(struct eids *e)
{
	struct msg m;

	memset(e, 0, sizeof(*e));
	genl(&m, gen_id, SMCX_GEN_DUMP_UEID, NLM_F_DUMP);
	return ask_genl(&m, on_eid, e);
}

static void test_eids(void)
{
	struct eids e;

	is(dump_eids(&e), 0, "EIDs are listed");
	check(e.n == 1 && !strncmp(e.text[0], "SMCX.DEFAULT   ", 15), "the default one is there");
	is(eid(SMCX_GEN_ADD_UEID, NULL, 0), EINVAL, "add without an EID");
	is(eid(SMCX_GEN_ADD_UEID, "SHORT", 6), EINVAL, "add one that is too short");
	is(eid(SMCX_GEN_ADD_UEID, "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345", 32), EINVAL,
	   "add one without its end");
	is(eid_padded(SMCX_GEN_ADD_UEID, "lower"), EINVAL, "add one in lower case");
	is(eid_padded(SMCX_GEN_ADD_UEID, ".DOT"), EINVAL, "add one that begins with a dot");
	is(eid_padded(SMCX_GEN_ADD_UEID, "A B"), EINVAL, "add one with a blank inside");
	is(eid_padded(SMCX_GEN_ADD_UEID, "ONE"), 0, "add a second one");
	is(eid_padded(SMCX_GEN_ADD_UEID, "ONE"), EEXIST, "add it again");
	is(eid_padded(SMCX_GEN_ADD_UEID, "TWO-2"), 0, "add a third one");
	is(eid_padded(SMCX_GEN_ADD_UEID, "THREE.3"), 0, "add a fourth one");
	is(eid_padded(SMCX_GEN_ADD_UEID, "FOUR"), ERANGE, "add a fifth one");
	is(eid_padded(SMCX_GEN_REMOVE_UEID, "FOUR"), ENOENT, "remove an unknown one");
	is(eid_padded(SMCX_GEN_REMOVE_UEID, "ONE"), 0, "remove one");
	dump_eids(&e);
	is(e.n, 3, "three are left");
	is(eid(SMCX_GEN_FLUSH_UEID, NULL, 0), 0, "remove all");
	dump_eids(&e);
	is(e.n, 0, "none is left");
	is(eid(SMCX_GEN_FLUSH_UEID, NULL, 0), 0, "remove all of none");
	is(eid_padded(SMCX_GEN_ADD_UEID, "SMCX.DEFAULT"), 0, "the default one again");
}

/* ---- handshake limitation, system EID ---- */

static void on_limit(const struct nlmsghdr *nl, void *arg)
{
	const uint8_t *limit;
	int len;

	limit = find(nl, SMCX_HS_LIMITED, &len);
	*(int *)arg = limit ? *limit : -1;
}

static int limit(void)
{
	struct msg m;
	int value = -1;

	genl(&m, gen_id, SMCX_GEN_DUMP_HS_LIMITATION, NLM_F_DUMP);
	ask_genl(&m, on_limit, &value);
	return value;
}

static int sysctl_limit(void)
{
	FILE *f = fopen("/proc/sys/net/smc/limit_smc_hs", "r");
	int value = -1;

	if (f && fscanf(f, "%d", &value) != 1)
		value = -1;
	if (f)
		fclose(f);
	return value;
}

static void test_switches(void)
{
	is(limit(), 0, "handshake limitation is off");
	is(eid(SMCX_GEN_ENABLE_HS_LIMITATION, NULL, 0), 0, "switch it on");
	is(limit(), 1, "it is on");
	is(sysctl_limit(), 1, "in the sysctl, too");
	is(eid(SMCX_GEN_DISABLE_HS_LIMITATION, NULL, 0), 0, "switch it off");
	is(sysctl_limit(), 0, "it is off");
	is(eid(SMCX_GEN_ENABLE_SEID, NULL, 0), EOPNOTSUPP, "there is no system EID to enable");
	is(eid(SMCX_GEN_DISABLE_SEID, NULL, 0), EOPNOTSUPP, "nor to disable");
}

/* ---- PNET table ---- */

static int pnet(int cmd, const char *name, const char *eth, const char *ib, int port)
{
	uint8_t byte = port;
	struct msg m;

	genl(&m, pnet_id, cmd, NLM_F_ACK);
	if (name)
		attr(&m, SMCX_PNET_NAME, name, strlen(name) + 1);
	if (eth)
		attr(&m, SMCX_PNET_ETH, eth, strlen(eth) + 1);
	if (ib)
		attr(&m, SMCX_PNET_IB, ib, strlen(ib) + 1);
	if (port >= 0)
		attr(&m, SMCX_PNET_PORT, &byte, 1);
	return ask_genl(&m, NULL, NULL);
}

struct entries {
	int n, ports;
	bool eth, ib, named;
};

static void on_pnet(const struct nlmsghdr *nl, void *arg)
{
	struct entries *e = arg;
	const char *name, *eth, *ib;
	const uint8_t *port;
	int len;

	name = find(nl, SMCX_PNET_NAME, &len);
	eth = find(nl, SMCX_PNET_ETH, &len);
	ib = find(nl, SMCX_PNET_IB, &len);
	port = find(nl, SMCX_PNET_PORT, &len);
	if (!name || !eth || !ib || !port)
		return;
	e->n++;
	e->named = !strcmp(name, "NETA");
	if (!strcmp(eth, "eth0") && !strcmp(ib, "n/a") && *port == 255)
		e->eth = true;
	if (!strcmp(ib, "rxe0") && !strcmp(eth, "n/a") && *port == 1)
		e->ib = true;
}

static int pnet_get(const char *name, int flags, struct entries *e)
{
	struct msg m;

	memset(e, 0, sizeof(*e));
	genl(&m, pnet_id, SMCX_PNET_CMD_GET, flags);
	if (name)
		attr(&m, SMCX_PNET_NAME, name, strlen(name) + 1);
	return ask_genl(&m, on_pnet, e);
}

/* Return: entries that went in before the first refusal, whose errno is in *err. */
static int pnet_fill(int max, int *err)
{
	char eth[16];
	int n;

	*err = 0;
	for (n = 0; n < max && !*err; n++) {
		snprintf(eth, sizeof(eth), "none%d", n);
		*err = pnet(SMCX_PNET_CMD_ADD, "FULL", eth, NULL, -1);
	}
	return *err ? n - 1 : n;
}

static void test_pnet(void)
{
	struct entries e;
	int err;

	is(pnet(SMCX_PNET_CMD_ADD, "NETA", NULL, NULL, -1), EINVAL, "add without a device");
	is(pnet(SMCX_PNET_CMD_ADD, NULL, "eth0", NULL, -1), EINVAL, "add without an id");
	is(pnet(SMCX_PNET_CMD_ADD, "", "eth0", NULL, -1), EINVAL, "add an empty id");
	is(pnet(SMCX_PNET_CMD_ADD, "A-B", "eth0", NULL, -1), EINVAL, "add an id with a dash");
	check(pnet(SMCX_PNET_CMD_ADD, "ABCDEFGHIJKLMNOPQ", "eth0", NULL, -1) != 0,
	      "add an id of 17 characters");
	is(pnet(SMCX_PNET_CMD_ADD, "NETA", NULL, "rxe0", 0), EINVAL, "add port 0");
	is(pnet(SMCX_PNET_CMD_ADD, "NETA", NULL, "rxe0", 3), EINVAL, "add port 3");
	is(pnet(SMCX_PNET_CMD_ADD, " neta ", "eth0", "rxe0", 1), 0, "add both devices");
	is(pnet(SMCX_PNET_CMD_ADD, "NETA", "eth0", "rxe0", 1), EEXIST, "add them again");
	is(pnet_get("neta", 0, &e), 0, "get by name");
	check(e.n == 2 && e.eth && e.ib && e.named, "two entries, upper case");
	is(pnet_get(NULL, NLM_F_DUMP, &e), 0, "list all");
	check(e.n == 2 && e.eth && e.ib, "the same two");
	is(pnet_get(NULL, 0, &e), EINVAL, "get without a name");
	is(pnet_get("OTHER", 0, &e), 0, "get of an unknown name");
	is(e.n, 0, "has no entry");
	is(pnet(SMCX_PNET_CMD_DEL, "OTHER", NULL, NULL, -1), ENOENT, "remove an unknown name");
	is(pnet(SMCX_PNET_CMD_DEL, "NETA", NULL, NULL, -1), 0, "remove by name");
	is(pnet(SMCX_PNET_CMD_FLUSH, NULL, NULL, NULL, -1), 0, "remove all");
	pnet_get(NULL, NLM_F_DUMP, &e);
	is(e.n, 0, "none is left");
	is(pnet_fill(2000, &err), 1024, "the table has an end");
	is(err, ENOSPC, "the next entry is refused");
	is(pnet(SMCX_PNET_CMD_FLUSH, NULL, NULL, NULL, -1), 0, "remove all of a full table");
}

/* ---- sock_diag ---- */

static int diag(int flags, size_t len)
{
	struct {
		struct nlmsghdr nl;
		struct smcx_diag_req req;
	} m = {
		.nl.nlmsg_len = NLMSG_LENGTH(len),
		.nl.nlmsg_type = SOCK_DIAG_BY_FAMILY,
		.nl.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags,
		.req.family = AF_SMC,
	};

	return ask(NETLINK_SOCK_DIAG, &m, m.nl.nlmsg_len, NULL, NULL);
}

static void test_diag(void)
{
	is(diag(NLM_F_DUMP, sizeof(struct smcx_diag_req)), 0, "sockets are listed");
	is(diag(NLM_F_DUMP, sizeof(struct smcx_diag_req) - 4), EINVAL, "a short request");
	check(diag(0, sizeof(struct smcx_diag_req)) != 0, "no answer without the dump flag");
}

/* ---- a socket whose lock is held ---- */

struct held {
	int sock;
	int uffd;
	void *page;
};

/* A page that does not come until release_page() */
static bool absent_page(struct held *h)
{
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };

	h->page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	h->uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	reg.range.start = (uintptr_t)h->page;
	reg.range.len = 4096;
	return h->page != MAP_FAILED && h->uffd >= 0 && !ioctl(h->uffd, UFFDIO_API, &api) &&
	       !ioctl(h->uffd, UFFDIO_REGISTER, &reg);
}

static void release_page(struct held *h)
{
	struct uffdio_zeropage zero = { .range.start = (uintptr_t)h->page, .range.len = 4096 };

	ioctl(h->uffd, UFFDIO_ZEROPAGE, &zero);
	close(h->uffd);
}

/* IP's options are copied with the socket locked. */
static void *set_options(void *arg)
{
	struct held *h = arg;

	setsockopt(h->sock, IPPROTO_IP, IP_OPTIONS, h->page, 4);
	return NULL;
}

static bool ends_in_time(pid_t pid)
{
	int i;

	for (i = 0; i < 500; i++) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return true;
		usleep(10000);
	}
	return false;
}

static void test_held(void)
{
	struct held h = { .sock = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_SMC) };
	struct pollfd fault;
	pthread_t holder;
	bool ended, absent = absent_page(&h);
	pid_t pid;

	if (!absent && errno == ENOSYS) {
		printf("ok %d - a dump of all sockets # SKIP no userfaultfd in this kernel\n", ++points);
		close(h.sock);
		return;
	}
	check(h.sock >= 0 && !listen(h.sock, 1) && absent, "a listener, and a page that is not there");
	fault = (struct pollfd){ .fd = h.uffd, .events = POLLIN };
	pthread_create(&holder, NULL, set_options, &h);
	check(poll(&fault, 1, 5000) == 1 && fault.revents == POLLIN,
	      "somebody holds the listener's lock for as long as he likes");
	pid = fork();
	if (!pid)
		_exit(diag(NLM_F_DUMP, sizeof(struct smcx_diag_req)));
	ended = ends_in_time(pid);
	check(ended, "a dump of all sockets does not wait for him");
	release_page(&h);
	pthread_join(holder, NULL);
	if (!ended)
		waitpid(pid, NULL, 0);
	close(h.sock);
}

/* ---- who may ---- */

static int dump(int id, int cmd)
{
	struct msg m;

	genl(&m, id, cmd, NLM_F_DUMP);
	return ask_genl(&m, NULL, NULL);
}

static bool changes(int cmd)
{
	return cmd == SMCX_CMD_FLUSH_PEERS || cmd == SMCX_CMD_ADD_TRUST ||
	       cmd == SMCX_CMD_DEL_TRUST;
}

static int change(int id, int cmd)
{
	struct msg m;

	genl(&m, id, cmd, NLM_F_ACK);
	return ask_genl(&m, NULL, NULL);
}

static int unprivileged(void)
{
	struct entries e;
	int cmd;

	if (setgid(65534) || setuid(65534))
		return __LINE__;
	for (cmd = SMCX_GEN_ADD_UEID; cmd <= SMCX_GEN_FLUSH_UEID; cmd++)
		if (eid_padded(cmd, "USER") != EPERM)
			return __LINE__;
	for (cmd = SMCX_GEN_ENABLE_HS_LIMITATION; cmd <= SMCX_GEN_DISABLE_HS_LIMITATION; cmd++)
		if (eid(cmd, NULL, 0) != EPERM)
			return __LINE__;
	for (cmd = SMCX_PNET_CMD_ADD; cmd <= SMCX_PNET_CMD_FLUSH; cmd++)
		if (pnet(cmd, "USER", "eth0", NULL, -1) != EPERM)
			return __LINE__;
	if (pnet_get(NULL, NLM_F_DUMP, &e))
		return __LINE__;
	for (cmd = SMCX_GEN_GET_SYS_INFO; cmd <= SMCX_GEN_DUMP_UEID; cmd++)
		if (dump(gen_id, cmd))
			return __LINE__;
	for (cmd = SMCX_CMD_GET_FALLBACK; cmd <= SMCX_CMD_MAX; cmd++)
		if (changes(cmd) ? change(own_id, cmd) != EPERM : dump(own_id, cmd))
			return __LINE__;
	return diag(NLM_F_DUMP, sizeof(struct smcx_diag_req)) ? __LINE__ : 0;
}

static void test_rights(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		int line = unprivileged();

		if (line)
			printf("# line %d\n", line);
		fflush(stdout);
		_exit(line != 0);
	}
	waitpid(pid, &status, 0);
	is(status, 0, "users may look and not change");
}

/* ---- nonsense ---- */

static void random_request(struct msg *m, int id)
{
	size_t i, len = rand() % 200;
	unsigned char *bytes = (unsigned char *)m->attrs;

	genl(m, id, rand() % 24, rand() & 1 ? NLM_F_DUMP : NLM_F_ACK);
	for (i = 0; i < len; i++)
		bytes[i] = rand();
	/* often a plausible attribute head, to get further */
	if (rand() & 3 && len >= 4) {
		bytes[0] = rand() % (len + 1);
		bytes[1] = 0;
		bytes[2] = rand() % 6;
		bytes[3] = 0;
	}
	m->nl.nlmsg_len += NLMSG_ALIGN(len);
}

static void test_nonsense(void)
{
	const int ids[] = { gen_id, pnet_id, own_id };
	struct msg m;
	int i, fd;

	srand(1);
	for (i = 0; i < 3000; i++) {
		random_request(&m, ids[i % 3]);
		fd = bus(NETLINK_GENERIC);
		if (send(fd, &m, m.nl.nlmsg_len, 0) < 0)
			printf("# send: %s\n", strerror(errno));
		close(fd);
	}
	/* flushed by chance, perhaps */
	eid_padded(SMCX_GEN_ADD_UEID, "SMCX.DEFAULT");
	eid(SMCX_GEN_DISABLE_HS_LIMITATION, NULL, 0);
	pnet(SMCX_PNET_CMD_FLUSH, NULL, NULL, NULL, -1);
	is(dump(gen_id, SMCX_GEN_GET_SYS_INFO), 0, "alive after nonsense");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	gen_id = family(SMCX_GEN_NAME);
	pnet_id = family(SMCX_PNET_GENL_NAME);
	own_id = family(SMCX_GENL_NAME);
	check(gen_id && pnet_id && own_id, "all families are there");
	check(!diag(NLM_F_DUMP, sizeof(struct smcx_diag_req)), "sock_diag is there");
	test_eids();
	test_switches();
	test_pnet();
	test_diag();
	test_held();
	test_rights();
	test_nonsense();
	printf("1..%d\n", points);
	return failures != 0;
}
