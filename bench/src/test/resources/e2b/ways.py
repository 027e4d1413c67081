# SPDX-License-Identifier: Apache-2.0
"""Ways into a sandbox and what it takes to carry much, by the Python SDK."""
import json
import os
import time
from urllib.error import HTTPError

import httpx
import websockets
from e2b import Sandbox
from e2b.exceptions import NotEnoughSpaceException
from reach import SECURED, fetched, socket
from table import finish, refused, thrown, works

APP = """
import asyncio, http, json
from websockets.asyncio.server import serve

async def echo(ws):
    async for message in ws:
        await ws.send(message)

def other(connection, request):
    if request.path == "/socket":
        return None
    return connection.respond(http.HTTPStatus.OK, json.dumps(dict(request.headers.raw_items())))

async def main():
    async with serve(echo, "127.0.0.1", 3000, process_request=other, max_size=None) as server:
        print("listening", flush=True)
        await server.serve_forever()

asyncio.run(main())
"""
EVENTS = """
import http.server, time

class Events(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for n in range(1, 6):
            self.wfile.write(b"data: %d\\n\\n" % n)
            self.wfile.flush()
            time.sleep(0.3)

server = http.server.ThreadingHTTPServer(("127.0.0.1", 3002), Events)
print("listening", flush=True)
server.serve_forever()
"""


def packaged(to):
    """The published package as files of the sandbox."""
    root = os.path.dirname(websockets.__file__)
    for where, _, names in os.walk(root):
        for name in names:
            if name.endswith(".py"):
                path = os.path.join(where, name)
                with open(path) as file:
                    yield {"path": os.path.join(to, "websockets", os.path.relpath(path, root)), "data": file.read()}


def started(box, file):
    app = box.commands.run(f"python3 -u {file}", cwd="/home/user/app", background=True, timeout=0)
    next(piece for piece in app if piece[0])
    return app


def with_app(**options):
    box = Sandbox.create("base", timeout=300, **options)
    box.files.write_files([{"path": "/home/user/app/app.py", "data": APP}, {"path": "/home/user/app/events.py", "data": EVENTS}, *packaged("/home/user/app")])
    started(box, "app.py")
    return box


box = with_app()


@works("sandbox.get_host: server-sent events come as they are sent")
def _():
    started(box, "events.py")
    at = []
    with fetched(box.get_host(3002), "/events") as answer:
        for line in answer:
            if line.startswith(b"data: "):
                at.append(time.monotonic())
    assert len(at) == 5 and at[-1] - at[0] > 0.6, at


@works("sandbox.get_host: WebSocket (the package `websockets` at both ends), text, bytes, a mebibyte")
def _():
    with socket(box.get_host(3000), "/socket") as ws:
        for sent in ("hällo", b"\x00\xff\x01", b"\x07" * (1 << 20)):
            ws.send(sent)
            assert ws.recv(timeout=30) == sent


if SECURED:

    @works("sandbox.get_host: HTTP/2 (httpx)")
    def _():
        import ssl

        with httpx.Client(http2=True, verify=ssl.create_default_context()) as client:
            answers = [client.get(f"https://{box.get_host(3000)}/") for _ in range(5)]
        assert all(a.status_code == 200 and a.http_version == "HTTP/2" for a in answers), answers
        assert {name.lower(): value for name, value in answers[0].json().items()}["x-forwarded-proto"] == "https"


@works("sandbox.get_host: of a port that nothing listens on")
def _():
    error = thrown(HTTPError, lambda: fetched(box.get_host(3001)))
    assert error.code == 502
    body = json.loads(error.read())
    assert {key: body[key] for key in ("sandboxId", "message", "port", "code")} == {"sandboxId": box.sandbox_id, "message": "The sandbox is running but port is not open", "port": 3001, "code": 502}


box.kill()


@works("Sandbox.create, network allow_public_traffic False: by its token alone")
def _():
    shut = with_app(network={"allow_public_traffic": False})
    assert thrown(HTTPError, lambda: fetched(shut.get_host(3000))).code == 403
    with fetched(shut.get_host(3000), headers={"e2b-traffic-access-token": shut.traffic_access_token}) as answer:
        assert "e2b-traffic-access-token" not in {name.lower() for name in json.loads(answer.read())}
    shut.kill()


@works("Sandbox.create, network mask_request_host")
def _():
    masked = with_app(network={"mask_request_host": "localhost:${PORT}"})
    with fetched(masked.get_host(3000)) as answer:
        assert {name.lower(): value for name, value in json.loads(answer.read()).items()}["host"] == "localhost:3000"
    masked.kill()


@works("files.write, on a full disk")
def _():
    full = Sandbox.create("base", timeout=120)
    full.commands.run("dd if=/dev/zero of=/tmp/fill bs=1M 2>/dev/null; sync; true")
    thrown(NotEnoughSpaceException, lambda: full.files.write("/tmp/more", b"\x01" * (8 << 20)))
    full.kill()


@refused("Sandbox.create, network rules", "what is sent is not changed on its way out: 501 names it", "network.rules")
def _():
    Sandbox.create("base", network={"rules": {"api.example.com": [{"transform": {"headers": {"X-A": "b"}}}]}})


@refused("Sandbox.create, network egress_proxy", "no proxy is used on the way out: 501 names it", "network.egressProxy")
def _():
    Sandbox.create("base", network={"egress_proxy": {"address": "proxy.example.com:1080"}})


@refused("Sandbox.create, mcp", "there is no template with that gateway: 501 names it", "mcp")
def _():
    Sandbox.create("base", mcp={"time": {}})


finish()
