# SPDX-License-Identifier: Apache-2.0
"""The control plane, by the Python SDK."""
import asyncio
import datetime
import os
import re
import time

from e2b import AsyncSandbox, Sandbox, SandboxQuery, SandboxState
from e2b.exceptions import AuthenticationException, NotFoundException, SandboxException
from table import finish, refused, thrown, works

UNKNOWN = "sb000000000000000000"
MARK = f"p{os.getpid()}"
box = None


def near(instant, seconds):
    wanted = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    assert abs((instant - wanted).total_seconds()) < 5, f"{instant} is not near {wanted}"


def everything(paginator):
    items = []
    while paginator.has_next:
        items += paginator.next_items()
    return items


@works("Sandbox.create")
def _():
    global box
    box = Sandbox.create("base", timeout=120, metadata={"mark": MARK, "k 1": "v&2=ü"}, envs={"A": "1"})
    assert re.fullmatch("[a-z0-9]{20}", box.sandbox_id)


@works("Sandbox.get_info")
def _():
    info = Sandbox.get_info(box.sandbox_id)
    assert (info.sandbox_id, info.template_id, info.state) == (box.sandbox_id, "base", SandboxState.RUNNING)
    assert info.metadata == {"mark": MARK, "k 1": "v&2=ü"}, info.metadata
    near(info.end_at, 120)


@works("sandbox.get_info")
def _():
    assert box.get_info().sandbox_id == box.sandbox_id


@works("Sandbox.create, of a template that is not there")
def _():
    assert "404" in str(thrown(SandboxException, lambda: Sandbox.create("not-there")))


@works("Sandbox.create, with a wrong key")
def _():
    thrown(AuthenticationException, lambda: Sandbox.create("base", api_key="e2b_" + "0" * 40))


@works("Sandbox.create, longer than the operator allows")
def _():
    assert re.search("400.*lifetime", str(thrown(SandboxException, lambda: Sandbox.create("base", timeout=864000))))


@works("Sandbox.list, by metadata")
def _():
    found = everything(Sandbox.list(query=SandboxQuery(metadata={"mark": MARK, "k 1": "v&2=ü"})))
    assert [s.sandbox_id for s in found] == [box.sandbox_id]
    assert everything(Sandbox.list(query=SandboxQuery(metadata={"mark": MARK, "k 1": "other"}))) == []


@works("Sandbox.list, by state")
def _():
    assert len(everything(Sandbox.list(query=SandboxQuery(metadata={"mark": MARK}, state=[SandboxState.RUNNING])))) == 1
    assert everything(Sandbox.list(query=SandboxQuery(metadata={"mark": MARK}, state=[SandboxState.PAUSED]))) == []


@works("Sandbox.list, page by page")
def _():
    more = [Sandbox.create("base", metadata={"mark": MARK}) for _ in range(2)]
    pages = Sandbox.list(query=SandboxQuery(metadata={"mark": MARK}), limit=2)
    first = pages.next_items()
    assert len(first) == 2 and pages.has_next
    second = pages.next_items()
    assert [s.sandbox_id for s in second] == [box.sandbox_id] and not pages.has_next
    assert all([s.kill() for s in more])


@works("Sandbox.set_timeout")
def _():
    Sandbox.set_timeout(box.sandbox_id, 60)
    near(box.get_info().end_at, 60)


@works("sandbox.set_timeout")
def _():
    box.set_timeout(300)
    near(box.get_info().end_at, 300)


@works("Sandbox.connect")
def _():
    assert Sandbox.connect(box.sandbox_id, timeout=10).sandbox_id == box.sandbox_id
    near(box.get_info().end_at, 300)


@works("Sandbox.connect, to one that is not there")
def _():
    thrown(NotFoundException, lambda: Sandbox.connect(UNKNOWN))


@works("sandbox.pause")
def _():
    box.pause()
    assert box.get_info().state == SandboxState.PAUSED


@works("Sandbox.list, of paused ones")
def _():
    found = everything(Sandbox.list(query=SandboxQuery(metadata={"mark": MARK}, state=[SandboxState.PAUSED])))
    assert [s.sandbox_id for s in found] == [box.sandbox_id]


@works("Sandbox.connect, to a paused one")
def _():
    Sandbox.connect(box.sandbox_id, timeout=60)
    info = box.get_info()
    assert info.state == SandboxState.RUNNING
    near(info.end_at, 60)


@works("Sandbox.create, lifecycle.on_timeout pause")
def _():
    short = Sandbox.create("base", timeout=1, lifecycle={"on_timeout": "pause"})
    for _ in range(100):
        if short.get_info().state == SandboxState.PAUSED:
            break
        time.sleep(0.1)
    assert short.get_info().state == SandboxState.PAUSED
    Sandbox.connect(short.sandbox_id)
    assert short.get_info().state == SandboxState.RUNNING
    assert short.kill()


@works("Sandbox.create, allow_internet_access False")
def _():
    shut = Sandbox.create("base", allow_internet_access=False)
    assert shut.get_info().allow_internet_access is False
    shut.kill()


@works("Sandbox.create, network allow_out")
def _():
    Sandbox.create("base", network={"allow_out": ["1.1.1.1"], "deny_out": ["0.0.0.0/0"]}).kill()


@works("AsyncSandbox: create, get_info, list, set_timeout, pause, connect, kill")
def _():
    async def run():
        sandbox = await AsyncSandbox.create("base", metadata={"mark": MARK + "a"})
        assert (await sandbox.get_info()).sandbox_id == sandbox.sandbox_id
        pages = AsyncSandbox.list(query=SandboxQuery(metadata={"mark": MARK + "a"}))
        assert [s.sandbox_id for s in await pages.next_items()] == [sandbox.sandbox_id]
        await sandbox.set_timeout(60)
        await sandbox.pause()
        await AsyncSandbox.connect(sandbox.sandbox_id)
        assert (await sandbox.get_info()).state == SandboxState.RUNNING
        assert await sandbox.kill()

    asyncio.run(run())


@works("Sandbox.kill")
def _():
    assert Sandbox.kill(box.sandbox_id) is True
    assert Sandbox.kill(box.sandbox_id) is False


@works("Sandbox.get_info, of one that was killed")
def _():
    thrown(NotFoundException, lambda: Sandbox.get_info(box.sandbox_id))


finish()
