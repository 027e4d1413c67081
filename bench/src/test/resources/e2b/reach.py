# SPDX-License-Identifier: Apache-2.0
"""How a host of get_host is reached: by its name over TLS where there is a domain, else by that name at the router."""
import os
import ssl
from socket import create_connection
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

ROUTER = os.environ.get("E2B_SANDBOX_URL")
SECURED = ROUTER is None


def fetched(host, path="/", data=None, headers=None):
    """The open answer; an HTTPError where its status is one."""
    base = f"https://{host}" if SECURED else ROUTER
    return urlopen(Request(base + path, data, {**(headers or {}), **({} if SECURED else {"Host": host})}))


def socket(host, path):
    """A WebSocket that is open."""
    from websockets.sync.client import connect  # not every environment has it

    if SECURED:
        return connect(f"wss://{host}{path}", ssl=ssl.create_default_context(), max_size=None, proxy=None)
    router = urlsplit(ROUTER)
    return connect(f"ws://{host}{path}", sock=create_connection((router.hostname, router.port)), max_size=None, proxy=None)
