# SPDX-License-Identifier: Apache-2.0
"""What a program inside a sandbox may try. Prints what became of it; the tests believe only what arrived outside."""
import os, random, socket, struct, subprocess, sys, threading, time

PATIENCE = 6


def told(*words):
    print(*words, flush=True)


def attempt(what, *args):
    try:
        return what(*args)
    except (OSError, UnicodeError, ValueError, EOFError) as e:
        told('failed', type(e).__name__, e)
        return None


def say(s, data, half=True):
    for piece in data if isinstance(data, list) else [data]:
        s.sendall(piece)
        if isinstance(data, list):
            time.sleep(0.02)
    if half:
        s.shutdown(socket.SHUT_WR)
    heard = b''
    while len(heard) < 1 << 20:
        piece = s.recv(65536)
        if not piece:
            break
        heard += piece
    told('heard', len(heard), heard[:200])
    return heard


def connection(to, family=socket.AF_INET):
    s = socket.socket(family, socket.SOCK_STREAM)
    s.settimeout(PATIENCE)
    s.connect(to)
    return s


def literal(address, port, data=b'x', half=True):
    """To an address as it is written."""
    family = socket.AF_INET6 if ':' in address else socket.AF_INET
    def go():
        with connection((address, port), family) as s:
            return say(s, data, half)
    return attempt(go)


def tcp(host, port, data=b'x', half=True):
    """By the C library's own look-up: whatever that takes for a name or an address."""
    def go():
        for family, kind, proto, _, to in socket.getaddrinfo(host.encode('utf-8'), port, 0, socket.SOCK_STREAM):
            def one():
                with connection(to, family) as s:
                    return say(s, data, half)
            attempt(one)
    return attempt(go)


def http(host, request, port=80):
    return tcp(host, port, request.replace('\n', '\r\n').encode('latin-1'), False)


def sni(name):
    n = name if isinstance(name, bytes) else name.encode('latin-1')
    return struct.pack('>HHHBH', 0, len(n) + 5, len(n) + 3, 0, len(n)) + n


def hello(*names, more=b''):
    """The first message of a TLS client: with each of the names in an extension of its own."""
    e = b'\x00\x2b\x00\x03\x02\x03\x04' + b''.join(sni(n) for n in names) + more
    body = b'\x03\x03' + bytes(32) + b'\x00' + b'\x00\x02\x13\x01' + b'\x01\x00' + struct.pack('>H', len(e)) + e
    return b'\x01' + struct.pack('>I', len(body))[1:] + body


def records(message, size=16000):
    return b''.join(b'\x16\x03\x01' + struct.pack('>H', len(message[i:i + size])) + message[i:i + size] for i in range(0, len(message), size))


def tls(host, *names, port=443, size=16000, slow=False, more=b''):
    data = records(hello(*names, more=more), size)
    return tcp(host, port, [data[i:i + 7] for i in range(0, len(data), 7)] if slow else data)


ECH = struct.pack('>HH', 0xfe0d, 9) + b'\x00\x00\x01\x00\x01\x00\x00\x00\x00'


def question(labels, kind=1):
    wire = b''.join(bytes([len(l)]) + l for l in (p if isinstance(p, bytes) else p.encode('latin-1') for p in labels))
    return struct.pack('>HHHHHH', random.randrange(65536), 0x0100, 1, 0, 0, 0) + wire + b'\x00' + struct.pack('>HH', kind, 1)


def ask(labels, kind=1, server='198.18.0.1', port=53):
    """A question in the bytes of its labels, by a datagram."""
    labels = labels.split('.') if isinstance(labels, str) else labels
    def go():
        with socket.socket(socket.AF_INET6 if ':' in server else socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.settimeout(PATIENCE)
            s.connect((server, port))
            s.send(question(labels, kind))
            answer = s.recv(4096)
            told('rcode', answer[3] & 15, 'answers', struct.unpack('>H', answer[6:8])[0])
            return answer
    return attempt(go)


def ask_tcp(labels, kind=1, server='198.18.0.1', port=53):
    labels = labels.split('.') if isinstance(labels, str) else labels
    def go():
        with connection((server, port), socket.AF_INET6 if ':' in server else socket.AF_INET) as s:
            q = question(labels, kind)
            s.sendall(struct.pack('>H', len(q)) + q)
            answer = s.recv(4096)
            told('rcode', answer[5] & 15 if len(answer) > 5 else 'none')
            return answer
    return attempt(go)


def udp(address, port, data=b'x' * 1200):
    def go():
        with socket.socket(socket.AF_INET6 if ':' in address else socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.settimeout(1)
            for _ in range(3):
                s.sendto(data, (address, port))
    attempt(go)


def raw(address, protocol, data=b'\x08\x00\xf7\xff\x00\x00\x00\x00', kind=socket.SOCK_RAW):
    def go():
        with socket.socket(socket.AF_INET6 if ':' in address else socket.AF_INET, kind, protocol) as s:
            s.sendto(data, (address, 0))
            told('sent', len(data))
    attempt(go)


def run(*argv):
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=20)
    told('ran', argv[0], done.returncode, done.stdout[-300:])
    return done.returncode
