#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""decode.py SMCX GOLDEN.H: captures made of messages of in-tree smc, decoded by the tool and, by hand, here. TAP."""
import json
import re
import select
import struct
import subprocess
import sys
import tempfile
import time

SMCX = sys.argv[1]
CLIENT, SERVER = bytes([10, 0, 0, 2]), bytes([10, 0, 0, 1])
C6, S6 = bytes.fromhex("fd00" + "0" * 27 + "2"), bytes.fromhex("fd00" + "0" * 27 + "1")
OPTION = bytes([254, 6]) + bytes.fromhex("e2d4c3d9")
count = 0
failed = False


def golden():
    text = open(sys.argv[2], encoding="ascii").read()
    return {name: bytes.fromhex("".join(re.findall('"([0-9a-f]+)"', body)))
            for name, body in re.findall(r'{ "(\w+)",\s*((?:"[0-9a-f]+"\s*)+)}', text)}


def check(name, got, want):
    global count, failed
    count += 1
    if got != want:
        failed = True
        print(f"# got  {got}\n# want {want}\nnot ok {count} - {name}")
    else:
        print(f"ok {count} - {name}")


# ---- making captures ----

def ip(src, dst, proto, payload):
    if len(src) == 16:
        return b"\x60\0\0\0" + struct.pack("!HBB", len(payload), proto, 64) + src + dst + payload
    return struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(payload), 0, 0, 64, proto, 0) + src + dst + payload


def tcp(src, dst, sport, dport, seq, flags, data=b"", option=b"", ack=0):
    option += b"\1" * (-len(option) % 4)
    head = struct.pack("!HHIIBBHHH", sport, dport, seq & 0xFFFFFFFF, ack & 0xFFFFFFFF, (5 + len(option) // 4) << 4,
                       flags, 1000, 0, 0)
    return ip(src, dst, 6, head + option + data)


def roce(src, dst, opcode, qpn, psn, data, extra=b""):
    pad = -len(data) % 4
    bth = struct.pack("!BBH", opcode, pad << 4, 0xFFFF) + qpn.to_bytes(4, "big") + psn.to_bytes(4, "big")
    body = bth + extra + data + bytes(pad) + b"ICRC"
    return ip(src, dst, 17, struct.pack("!HHHH", 49152, 4791, 8 + len(body), 0) + body)


def ethernet(packet, tags=b""):
    kind = b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\0"
    return bytes(12) + tags + kind + packet


def pcap(frames, link=1, magic=0xA1B2C3D4, order="<", snap=65535):
    out = struct.pack(order + "IHHIIII", magic, 2, 4, 0, 0, snap, link)
    for i, frame in enumerate(frames):
        out += struct.pack(order + "IIII", 1000 + i, 250000, min(len(frame), snap), len(frame)) + frame[:snap]
    return out


def pcapng(frames, link=1):
    def block(kind, body):
        body += bytes(-len(body) % 4)
        return struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))
    out = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)) + block(1, struct.pack("<HHI", link, 0, 65535))
    for i, frame in enumerate(frames):
        usec = (1000 + i) * 1000000
        out += block(6, struct.pack("<IIIII", 0, usec >> 32, usec & 0xFFFFFFFF, len(frame), len(frame)) + frame)
    return out


def run(data, *args):
    return subprocess.run([SMCX, "decode", "-", *args], input=data, capture_output=True, check=False)


def decode(data, *args):
    got = run(data, "--json", *args)
    return json.loads(got.stdout)


def slowly(data, n):
    """The first n bytes arrive one by one."""
    with subprocess.Popen([SMCX, "decode", "-", "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as tool:
        for i in range(n):
            tool.stdin.write(data[i:i + 1])
            tool.stdin.flush()
            time.sleep(0.05)
        return tool.communicate(data[n:])[0]


def names(lines):
    return [f"{line['layer']} {line['message']}" for line in lines]


# ---- reading messages by hand, offsets of protocol.rst ----

def by_hand(m):
    def num(at, n):
        return int.from_bytes(m[at:at + n], "big")
    if m[:3] != b"\xe2\xd4\xc3":
        if m[0] == 0xFE:
            return {"sequence": num(2, 2), "alert_token": f"0x{num(4, 4):08x}",
                    "prod_wrap": num(10, 2), "prod_cursor": num(12, 4),
                    "cons_wrap": num(18, 2), "cons_cursor": num(20, 4)}
        return {"version": m[0] >> 4 or 1, "kind": "response" if m[3] & 0x80 else "request"}
    if m[4] in (2, 3):
        return {"version": m[7] >> 4, "first_contact": "yes" if m[7] & 8 else "no", "peer_id": m[8:16].hex(),
                "mac": ":".join(f"{b:02x}" for b in m[32:38]), "qp_number": num(38, 3), "rmb_rkey": f"0x{num(41, 4):08x}",
                "rmbe_index": m[45], "alert_token": f"0x{num(46, 4):08x}", "rmbe_size": 16384 << (m[50] >> 4),
                "mtu": 128 << (m[50] & 15), "rmb_vaddr": f"0x{num(52, 8):x}", "psn": num(61, 3)}
    if m[4] == 4:
        return {"diagnosis": f"0x{num(16, 4):08x}", "peer_id": m[8:16].hex(), "version": m[7] >> 4}
    return {"version": m[7] >> 4}


def stands_in(want, got):
    return {key: got.get(key) for key in want}


def test_messages(g):
    for name, message in g.items():
        is_clc = message[:3] == b"\xe2\xd4\xc3"
        # A Confirm follows a Proposal; here each stands alone, as in a capture begun late.
        packet = tcp(CLIENT, SERVER, 40000, 5001, 77, 0x18, message) if is_clc else \
            roce(CLIENT, SERVER, 4, 17, 5, message)
        lines = decode(pcap([ethernet(packet)]))
        want = by_hand(message)
        check(f"{name}: as read by hand", [stands_in(want, line) for line in lines], [want])
        text = decode(message.hex().encode())
        check(f"{name}: the same from digits", [stands_in(want, line) for line in text], [want])


def handshake(src, dst, g, extra=lambda p: p):
    prop, acc, conf = g["proposal_612"], g["accept_612_first"], g["confirm_612_first"]
    c, s = 0xFFFFFFF0, 5000
    late = tcp(src, dst, 40000, 5001, c + 1, 0x18, prop[:60])
    return [extra(p) for p in (
        tcp(src, dst, 40000, 5001, c, 2, option=OPTION),
        tcp(dst, src, 5001, 40000, s, 0x12, option=OPTION),
        tcp(src, dst, 40000, 5001, c + 1 + 60, 0x18, prop[60:]),
        late, late,
        tcp(dst, src, 5001, 40000, s + 1, 0x18, acc),
        tcp(src, dst, 40000, 5001, c + 1 + len(prop), 0x18, conf + b"GET / HTTP/1.1"),
        tcp(src, dst, 40000, 5001, c + 1 + len(prop) + len(conf) + 14, 0x18, prop))]


def test_captures(g):
    whole = ["TCP SYN", "TCP SYN-ACK", "CLC Proposal", "CLC Accept", "CLC Confirm"]
    frames = handshake(CLIENT, SERVER, g, ethernet)
    lines = decode(pcap(frames))
    check("segments out of order and repeated", names(lines), whole)
    check("addresses", [(x["source"], x["destination"]) for x in lines[2:4]],
          [("10.0.0.2:40000", "10.0.0.1:5001"), ("10.0.0.1:5001", "10.0.0.2:40000")])
    check("time", lines[0]["time"], 1000.25)
    check("pcapng", names(decode(pcapng(frames))), whole)
    check("big-endian file", names(decode(pcap(frames, order=">"))), whole)
    check("nanoseconds", names(decode(pcap(frames, magic=0xA1B23C4D))), whole)
    check("IPv6", names(decode(pcap(handshake(C6, S6, g, ethernet)))), whole)
    check("VLAN", names(decode(pcap(handshake(CLIENT, SERVER, g, lambda p: ethernet(p, b"\x81\0\0\5"))))), whole)
    check("raw IP", names(decode(pcap(handshake(CLIENT, SERVER, g), link=101))), whole)
    cooked = handshake(CLIENT, SERVER, g, lambda p: bytes(14) + b"\x08\0" + p)
    check("any device", names(decode(pcap(cooked, link=113))), whole)
    cooked = handshake(CLIENT, SERVER, g, lambda p: b"\x08\0" + bytes(18) + p)
    check("any device, newer form", names(decode(pcap(cooked, link=276))), whole)
    check("kinds of messages", names(decode(pcap(frames), "clc")), whole[2:])

    syn = ethernet(tcp(CLIENT, SERVER, 40000, 5001, 9, 2, g["proposal_612"], OPTION))
    answer = ethernet(tcp(SERVER, CLIENT, 5001, 40000, 9, 0x12))
    lines = decode(pcap([syn, answer]))
    check("Proposal in the SYN", [(x["message"], x.get("smc_option"), x.get("in_syn"), x.get("data")) for x in lines],
          [("SYN", "yes", None, len(g["proposal_612"])), ("Proposal", None, "yes", None), ("SYN-ACK", "no", None, None)])
    plain = [ethernet(tcp(CLIENT, SERVER, 1, 2, 9, 2)), ethernet(tcp(CLIENT, SERVER, 1, 2, 10, 0x18, b"GET /"))]
    check("other connections are left out", decode(pcap(plain)), [])
    check("and that is said", b"no SMC in it" in run(pcap(plain)).stderr, True)
    check("no packets: said, too", [word in run(pcap([])).stderr for word in (b"no packets", b"no SMC")], [True, False])


def test_fast_open(g):
    """The Proposal of a SYN, 26 bytes longer than that which follows if the server does not take it."""
    prop, acc, conf = g["proposal_612"], g["accept_612_first"], g["confirm_612_first"]
    early = prop[:5] + struct.pack("!H", len(prop) + 26) + prop[7:-4] + bytes(26) + prop[-4:]

    def client(seq, flags, data=b"", option=b""):
        return ethernet(tcp(CLIENT, SERVER, 40000, 5001, seq, flags, data, option))

    def server(seq, flags, data=b"", ack=1000):
        return ethernet(tcp(SERVER, CLIENT, 5001, 40000, seq, flags, data, OPTION, ack))

    def shown(*frames):
        return [x["message"] + " in SYN" * (x.get("in_syn") == "yes") for x in decode(pcap(frames))]
    syn = client(999, 2, early, OPTION)
    answer, accept = server(4999, 0x12), server(5000, 0x18, acc)
    check("a Proposal in the SYN that is not taken", shown(syn, answer, client(1000, 0x18, prop), accept,
                                                           client(1000 + len(prop), 0x18, conf)),
          ["SYN", "Proposal in SYN", "SYN-ACK", "Proposal", "Accept", "Confirm"])
    check("one that is", shown(syn, server(4999, 0x12, ack=1000 + len(early)), accept,
                               client(1000 + len(early), 0x18, conf)),
          ["SYN", "Proposal in SYN", "SYN-ACK", "Accept", "Confirm"])
    check("a repeated SYN-ACK", shown(client(999, 2, option=OPTION), answer, client(1000, 0x18, prop[:60]), answer,
                                      client(1060, 0x18, prop[60:])), ["SYN", "SYN-ACK", "SYN-ACK", "Proposal"])
    # the first has the same hash as the other, whose SYN was not captured
    other = ethernet(tcp(CLIENT, SERVER, 40001, 5000, 1000, 0x18, prop))
    check("a SYN-ACK without its SYN", shown(other, answer, client(1000, 0x18, prop), accept),
          ["Proposal", "SYN-ACK", "Proposal", "Accept"])


def test_live(g):
    data = pcap([ethernet(p) for p in handshake(CLIENT, SERVER, g)])
    with subprocess.Popen([SMCX, "decode", "-", "tcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as tool:
        tool.stdin.write(data)
        tool.stdin.flush()
        seen = select.select([tool.stdout], [], [], 10)[0] and tool.stdout.readline()
        tool.stdin.close()
    check("a line into a pipe while the capture goes on", bool(seen) and b"SYN" in seen, True)


def test_roce(g):
    cdc = next(m for m in g.values() if m[0] == 0xFE)
    reth = struct.pack("!QII", 0x1122334455667788, 0xABCD, 3000)
    frames = [ethernet(p) for p in (
        roce(CLIENT, SERVER, 6, 17, 100, bytes(1024), reth),
        roce(CLIENT, SERVER, 8, 17, 101, bytes(7)),
        roce(CLIENT, SERVER, 4, 17, 102, cdc),
        roce(SERVER, CLIENT, 17, 18, 102, b"\0\0\0\0"))]
    lines = decode(pcap(frames))
    check("writes, and no acknowledgements", names(lines), ["RDMA WRITE_FIRST", "RDMA WRITE_LAST", "CDC message"])
    check("a write's parts", [lines[0][k] for k in ("dest_qp", "psn", "length", "rmb_rkey", "rmb_vaddr", "total")],
          [17, 100, 1024, "0x0000abcd", "0x1122334455667788", 3000])
    check("padding is no data", lines[1]["length"], 7)
    # ADD_LINK of version 2 in two packets
    n = 70
    add = bytes([0x22, 0, 72 + 16 * n & 255, 0]) + bytes(40) + bytes(16) + bytes(8) + n.to_bytes(2, "big") + bytes(2)
    add = (g["llc_add_link_612"] if "llc_add_link_612" in g else add)
    first, rest = add[:40], add[40:]
    frames = [ethernet(roce(CLIENT, SERVER, 0, 9, 0xFFFFFF, first)), ethernet(roce(CLIENT, SERVER, 2, 9, 0, rest))]
    one = decode(pcap([ethernet(roce(CLIENT, SERVER, 4, 9, 0, add))]))
    two = decode(pcap(frames))
    same = [{k: v for k, v in x.items() if k != "time"} for x in one] == \
        [{k: v for k, v in x.items() if k != "time"} for x in two]
    check("a message in two packets", same and bool(one), True)


def test_snap(g):
    """Packets of which only the first bytes were captured; 54 of them are headers, in RoCE and in TCP."""
    def parts(frame, snap, *keys):
        return [[x["message"]] + [x.get(k) for k in keys] for x in decode(pcap([ethernet(frame)], snap=snap))]
    reth = struct.pack("!QII", 1 << 32, 7, 1000)
    write = roce(CLIENT, SERVER, 10, 17, 5, bytes(1000), reth)
    keys = ("length", "truncated", "total")
    check("a write that was cut", parts(write, 128, *keys), [["WRITE_ONLY", 1000, "yes", 1000]])
    check("in its headers", parts(write, 60, *keys), [["WRITE_ONLY", 1000, "yes", None]])
    check("behind its data", parts(write, 1070, *keys), [["WRITE_ONLY", 1000, None, 1000]])
    cdc, add, test = g["cdc_data"], g["add_link_req"], g["test_link_req"]
    data = roce(CLIENT, SERVER, 4, 17, 5, cdc + bytes(501))
    keys = ("data", "prod_cursor", "truncated", "malformed")
    check("data behind a CDC that were cut", parts(data, 128, *keys), [["message", 501, 100, "yes", None]])
    check("not cut", parts(data, 65535, *keys), [["message", 501, 100, None, None]])
    keys = ("kind", "length", "truncated", "malformed")
    llc = roce(CLIENT, SERVER, 4, 17, 5, test)
    check("an LLC without its ICRC", parts(llc, 98, *keys), [["TEST_LINK", "request", None, None, None]])
    check("one that was cut", parts(llc, 97, *keys), [["TEST_LINK", None, 44, "yes", None]])
    check("nothing of it left", parts(llc, 54, *keys), [["SEND", None, 44, "yes", None]])
    llc = roce(CLIENT, SERVER, 4, 17, 5, add)
    check("one of version 2", parts(llc, 54 + 60, *keys), [["ADD_LINK", "request", None, "yes", None]])
    two = [ethernet(roce(CLIENT, SERVER, 0, 9, 1, add[:60])), ethernet(roce(CLIENT, SERVER, 2, 9, 2, add[60:]))]
    lines = decode(pcap(two, snap=54 + 50))
    check("one in two packets", [(x["message"], x.get("truncated"), x.get("target_gid")) for x in lines],
          [("ADD_LINK", "yes", None)])

    frames = handshake(CLIENT, SERVER, g, ethernet)
    lines = decode(pcap(frames, snap=96))
    check("CLC messages that were cut", [(x["message"], x.get("length"), x.get("truncated")) for x in lines],
          [("SYN", None, None), ("SYN-ACK", None, None), ("Proposal", 156, "yes"), ("Accept", 160, "yes"),
           ("Confirm", 180, "yes")])
    check("bytes that are there", lines[2]["bytes"], g["proposal_612"][:32].hex())
    syn = ethernet(tcp(CLIENT, SERVER, 40000, 5001, 9, 2, g["proposal_612"], OPTION))
    check("data of a SYN", [(x["message"], x.get("data"), x.get("truncated")) for x in decode(pcap([syn], snap=96))],
          [("SYN", 156, None), ("Proposal", None, "yes")])
    again = [frames[0], frames[2], frames[3], ethernet(tcp(CLIENT, SERVER, 40000, 5001, 0xFFFFFFF1, 0x18, b"\xe2"))]
    got = run(pcap(again, snap=60), "clc")
    check("not even a header: that is said", (got.stdout, got.returncode, b"3 of 4 packets were cut" in got.stderr),
          (b"", 0, True))
    check("nothing is said where all is whole", run(pcap(frames)).stderr, b"")


def test_text(g):
    """Messages one behind the other."""
    def shown(*messages):
        return [(x["message"], x.get("data"), x.get("malformed")) for x in decode(b"".join(messages).hex().encode())]
    test, add, cdc, accept = g["test_link_req"], g["add_link_req"], g["cdc_data"], g["accept_612_first"]
    big = test[:1] + struct.pack("!H", 44) + test[3:]
    gids = bytes([0x25]) + struct.pack("!H", 28 + 32) + bytes(21) + b"\2" + bytes(35)
    one = ("TEST_LINK", None, None)
    check("LLC of version 2", shown(test, test, big, test), [one] * 4)
    check("a longer one", shown(add, test, gids, test),
          [("ADD_LINK", None, None), one, ("REQUEST_ADD_LINK", None, None), one])
    check("a longer one without a length", shown(test, gids[:1] + bytes(2) + gids[3:]),
          [one, ("REQUEST_ADD_LINK", None, None)])
    check("any other without a length", shown(test[:1] + bytes(2) + test[3:], test), [one] * 2)
    plain = ("message", None, None)
    check("CDC", shown(cdc, cdc, test, cdc, accept, cdc), [plain, plain, one, plain, ("Accept", None, None), plain])
    lines = decode(accept[:100].hex().encode() + b"\n\n" + accept.hex().encode())
    check("one that is shorter than it says", [(x.get("truncated"), x.get("length"), x.get("malformed")) for x in lines],
          [("yes", 160, None), (None, None, None)])
    check("data behind a CDC", shown(cdc, b"GET / HTTP/1.1"), [("message", 14, None)])
    check("more of it", shown(cdc, bytes(range(0x20, 0x7F)) * 3), [("message", 285, None)])


def test_errors(g):
    frames = handshake(CLIENT, SERVER, g, ethernet)
    whole = pcap(frames)
    check("a file cut short: status", run(whole[:-3]).returncode, 2)
    check("and the rest is shown", len(run(whole[:-3], "clc").stdout.splitlines()), 3)
    check("an unknown link type", (run(pcap(frames, link=147)).returncode, run(pcap(frames, link=147)).stderr[:11]),
          (1, b"smcx: -: li"))
    bad = run(b"# fine\ne2d4 c3d9\nhello\n")
    check("text that is no message", (bad.returncode, b"line 3" in bad.stderr), (1, True))
    cut = bytearray(g["accept_612_first"])
    cut[45] = 0
    accept = g["accept_612_first"].hex().encode()
    for name, start in (("an empty line", b"\n"), ("two", b"\n\n"), ("one that ends differently", b"\n\r\n")):
        check(f"text that begins with {name}", decode(start + accept), decode(accept))
    got, want = run(b"\nE2\n"), run(b"E2\n")
    check("and is no whole message", (got.returncode, got.stdout, got.stderr), (0, want.stdout, want.stderr))
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"\nE2\n")
        file.flush()
        got = subprocess.run([SMCX, "decode", file.name], capture_output=True, check=False)
    check("the same from a file", (got.returncode, got.stdout), (0, want.stdout))
    check("an empty line only", (run(b"\n").returncode, run(b"\n").stderr), (0, b"smcx: -: no messages\n"))
    check("a byte at a time", [names(json.loads(slowly(x, 6))) for x in (pcapng(frames), b"\n" + accept)],
          [names(decode(x)) for x in (pcapng(frames), accept)])
    check("a malformed message says so", [x.get("malformed") for x in decode(cut.hex().encode())], ["yes"])
    strange = g["decline_612_server"]
    strange = strange[:16] + struct.pack("!I", 0x0F000001) + strange[20:]
    check("a peer's reason with a number of our own", [(x["diagnosis"], x["reason"]) for x in
                                                       decode(strange.hex().encode())], [("0x0f000001", "UNKNOWN")])
    check("no file: status and what to do", subprocess.run([SMCX, "decode", "/no/such"], capture_output=True,
                                                            check=False).returncode, 1)


def main():
    g = golden()
    test_messages(g)
    test_captures(g)
    test_fast_open(g)
    test_live(g)
    test_roce(g)
    test_snap(g)
    test_text(g)
    test_errors(g)
    print(f"1..{count}")
    sys.exit(failed)


main()
