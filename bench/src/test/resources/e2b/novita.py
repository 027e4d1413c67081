# SPDX-License-Identifier: Apache-2.0
"""The SDK of a derivative, as it is published."""
import os
import time

from novita_sandbox.core import CommandExitException, Sandbox, Template, Volume
from novita_sandbox.core.exceptions import AuthenticationException, InvalidArgumentException
from reach import SECURED, fetched
from table import differs, finish, refused, thrown, works

MARK = f"nov_py_{os.getpid()}_{int(time.time())}"


def until(what, condition):
    for _ in range(300):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError(f"never: {what}")


box = None


@works("Sandbox.create, metadata, envs")
def _():
    global box
    box = Sandbox.create("base", timeout=600, metadata={"mark": MARK}, envs={"FROM_CREATE": "yes"})
    assert box.is_running() is True


@works("Sandbox.create, with a wrong key")
def _():
    thrown(AuthenticationException, lambda: Sandbox.create("base", api_key="nvta_wrong"))


@works("sandbox.get_info, set_timeout, pause, connect")
def _():
    assert box.get_info().metadata["mark"] == MARK
    box.set_timeout(500)
    box.pause()
    assert box.is_running() is False
    box.connect(timeout=500)
    assert box.is_running() is True


NAMELESS = "by two URLs alone the package sends no id with what it asks of a sandbox that `connect` or `clone` gave, so that nothing of it is reached; by a domain it is"


def given(call, note, action):
    """What is done with a sandbox that the package did not make by create."""
    if SECURED:
        (differs(call, f"{note}; {NAMELESS}") if note else works(call))(action)
    else:
        differs(call, f"{note}; {NAMELESS}" if note else NAMELESS)(lambda: thrown(InvalidArgumentException, action))


def connected():
    assert Sandbox.connect(box.sandbox_id).commands.run("echo $FROM_CREATE").stdout == "yes\n"


given("Sandbox.connect, commands.run", "", connected)


@works("commands.run, exit code, background, send_stdin, kill")
def _():
    done = box.commands.run("echo out; echo err >&2; pwd; whoami")
    assert (done.stdout, done.stderr) == ("out\n/home/user\nuser\n", "err\n"), done
    assert thrown(CommandExitException, lambda: box.commands.run("exit 3")).exit_code == 3
    reads = box.commands.run('read line; echo "got $line"', background=True, stdin=True)
    box.commands.send_stdin(reads.pid, "one\n")
    assert reads.wait().stdout == "got one\n"
    long = box.commands.run("sleep 301", background=True)
    assert box.commands.kill(long.pid) is True


@works("files: write, read, list, make_dir, rename, remove, exists")
def _():
    box.files.write("dir/a.txt", "hällo")
    assert box.files.read("dir/a.txt") == "hällo"
    box.files.make_dir("dir/b")
    box.files.rename("dir/a.txt", "dir/c.txt")
    assert sorted(e.name for e in box.files.list("dir")) == ["b", "c.txt"]
    box.files.remove("dir/c.txt")
    assert box.files.exists("dir/c.txt") is False


@works("sandbox.get_host: what listens is reached by its name")
def _():
    box.commands.run("python3 -m http.server 8123", background=True, cwd="/srv", timeout=0)

    def answers():
        try:
            return fetched(box.get_host(8123), "/").status == 200
        except OSError:
            return False

    until("answer", answers)


@works("sandbox.set_network")
def _():
    box.set_network(deny_out=["192.0.2.0/24"])


def cloned():
    box.files.write("/home/user/cloned", "yes")
    clones = Sandbox.clone(box.sandbox_id, count=2, strict=True)
    assert len(clones) == 2
    try:
        for clone in clones:
            assert clone.files.read("/home/user/cloned") == "yes"
    finally:
        for clone in clones:
            assert clone.kill() is True


given("Sandbox.clone, files.read", "copies the disk; processes and memory are not copied", cloned)


@works("sandbox.reset: the disk is the template's again")
def _():
    assert box.reset()
    assert box.files.exists("/home/user/cloned") is False


@works("Template.build, exists, with a name with `_`")
def _():
    Template.build(Template().from_template("base").run_cmd("echo built > /home/user/built"), MARK)
    assert Template.exists(MARK) is True
    made = Sandbox.create(MARK)
    assert made.files.read("built") == "built\n"
    made.kill()


@works("Volume.create, list, destroy")
def _():
    volume = Volume.create(f"Vol_{os.getpid()}")
    assert any(v.name == volume.name for v in Volume.list())
    assert Volume.destroy(volume.volume_id) is True


@refused("Sandbox.get_quota", "what a tenant may have is the operator's configuration: 501 names it", "quota")
def _():
    Sandbox.get_quota()


@refused("sandbox.hotplug_memory", "memory is fixed when a sandbox is made: 501 names it", "requested_size_mib")
def _():
    box.hotplug_memory(2048)


@works("sandbox.kill")
def _():
    assert box.kill() is True
    assert box.is_running() is False


finish()
