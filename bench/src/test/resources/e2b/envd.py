# SPDX-License-Identifier: Apache-2.0
"""Commands, files, terminals, watches and git, by the Python SDK."""
import asyncio
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from e2b import AsyncSandbox, CommandExitException, PtySize, Sandbox
from e2b.exceptions import AuthenticationException, InvalidArgumentException, NotFoundException, TimeoutException
from reach import fetched
from table import finish, thrown, works


def until(what, condition):
    for _ in range(300):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError(f"never: {what}")


box = Sandbox.create("base", timeout=600, envs={"FROM_CREATE": "yes"})
running = None


@works("sandbox.is_running")
def _():
    assert box.is_running() is True


@works("commands.run")
def _():
    done = box.commands.run("echo out; echo err >&2; echo $FROM_CREATE $USER $HOME; pwd")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "out\nyes user /home/user\n/home/user\n", "err\n"), done


@works("commands.run, on_stdout and on_stderr")
def _():
    seen = []
    box.commands.run("echo a; sleep 0.2; echo b >&2", on_stdout=lambda t: seen.append("o" + t), on_stderr=lambda t: seen.append("e" + t))
    assert seen == ["oa\n", "eb\n"], seen


@works("commands.run, cwd, envs, user")
def _():
    assert box.commands.run("pwd; echo $X; whoami", cwd="/tmp", envs={"X": "y z"}, user="root").stdout == "/tmp\ny z\nroot\n"


@works("commands.run, exit code")
def _():
    error = thrown(CommandExitException, lambda: box.commands.run("echo gone; exit 3"))
    assert (error.exit_code, error.stdout) == (3, "gone\n")


@works("commands.run, a million bytes")
def _():
    assert len(box.commands.run('head -c 1000000 /dev/zero | tr "\\0" x').stdout) == 1_000_000


@works("commands.run, timeout ends the command")
def _():
    thrown(TimeoutException, lambda: box.commands.run("sleep 301", timeout=1))
    until("sleep is gone", lambda: box.commands.run('pgrep -f "[s]leep 301" || true').stdout == "")


@works("commands.run, cwd that is not there")
def _():
    thrown(InvalidArgumentException, lambda: box.commands.run("true", cwd="/not/there"))


@works("commands.run, user that is not there")
def _():
    thrown(AuthenticationException, lambda: box.commands.run("true", user="nobodyhere"))


@works("commands.run, background; list, send_stdin, connect, close_stdin")
def _():
    handle = box.commands.run('while read line; do echo "got $line"; done', background=True, stdin=True)
    assert handle.pid in [p.pid for p in box.commands.list()]
    box.commands.send_stdin(handle.pid, "one\n")
    again = box.commands.connect(handle.pid)
    box.commands.send_stdin(handle.pid, "two\n")
    box.commands.close_stdin(handle.pid)
    assert "got two" in again.wait().stdout
    assert handle.wait().stdout == "got one\ngot two\n"


@works("commands.kill")
def _():
    victim = box.commands.run("sleep 302", background=True)
    assert box.commands.kill(victim.pid) is True
    thrown(CommandExitException, victim.wait)
    assert box.commands.kill(victim.pid) is False


@works("commands.connect, to a pid that is not there")
def _():
    thrown(NotFoundException, lambda: box.commands.connect(999_999))


@works("files.write, read")
def _():
    assert box.files.write("dir/a.txt", "hällo").path == "/home/user/dir/a.txt"
    assert box.files.read("dir/a.txt") == "hällo"
    assert box.commands.run('stat -c "%U %a" dir/a.txt').stdout == "user 644\n"


@works("files.read, of an empty file")
def _():
    box.files.write("empty", "")
    assert box.files.read("empty") == ""


@works("files.read: bytes, stream")
def _():
    data = bytes(i % 251 for i in range(100_000))
    box.files.write("/tmp/bytes", data)
    assert bytes(box.files.read("/tmp/bytes", format="bytes")) == data
    assert b"".join(box.files.read("/tmp/bytes", format="stream")) == data


@works("files.write_files")
def _():
    infos = box.files.write_files([{"path": "/tmp/w/1", "data": "one"}, {"path": "/tmp/w/2", "data": "two"}])
    assert [i.name for i in infos] == ["1", "2"]


@works("files.read, of what is not there")
def _():
    thrown(NotFoundException, lambda: box.files.read("/not/there"))


@works("files.list, depth")
def _():
    assert [(e.name, e.path, e.size) for e in box.files.list("/tmp/w")] == [("1", "/tmp/w/1", 3), ("2", "/tmp/w/2", 3)]
    box.files.make_dir("/tmp/deep/a/b")
    assert [e.path for e in box.files.list("/tmp/deep", depth=2)] == ["/tmp/deep/a", "/tmp/deep/a/b"]


@works("files.exists, get_info")
def _():
    assert box.files.exists("/tmp/w/1") is True
    assert box.files.exists("/tmp/w/no") is False
    info = box.files.get_info("/tmp/w/1")
    assert (info.name, info.size, info.owner, info.permissions) == ("1", 3, "user", "-rw-r--r--")


@works("files.make_dir")
def _():
    assert box.files.make_dir("/tmp/made/x") is True
    assert box.files.make_dir("/tmp/made/x") is False


@works("files.rename, remove")
def _():
    assert box.files.rename("/tmp/w/1", "/tmp/w/3").path == "/tmp/w/3"
    box.files.remove("/tmp/w")
    assert box.files.exists("/tmp/w") is False


@works("POST /files/compose, by the SDK's own client of the daemon")
def _():
    box.files.write("/tmp/c/1", "first ")
    box.files.write("/tmp/c/2", "second")
    answer = box._envd_api.post("/files/compose", json={"source_paths": ["/tmp/c/1", "/tmp/c/2"], "destination": "/tmp/c/whole"})
    assert (answer.status_code, answer.json()) == (200, {"path": "/tmp/c/whole", "name": "whole", "type": "file"}), answer.text
    assert box.files.read("/tmp/c/whole") == "first second"
    assert [e.name for e in box.files.list("/tmp/c")] == ["whole"]


@works("files.watch_dir")
def _():
    box.files.make_dir("/tmp/watched")
    handle = box.files.watch_dir("/tmp/watched")
    box.commands.run("echo y > /tmp/watched/g && rm /tmp/watched/g")
    names = []

    def seen():
        names.extend(f"{e.type.value} {e.name}" for e in handle.get_new_events())
        return {"create g", "write g", "remove g"} <= set(names)

    until("events", seen)
    handle.stop()


@works("pty.create, send_stdin, resize, kill")
def _():
    terminal = box.pty.create(PtySize(rows=24, cols=80))
    box.pty.resize(terminal.pid, PtySize(rows=30, cols=100))
    box.pty.send_stdin(terminal.pid, b"stty size; exit\n")
    text = b""
    terminal.wait(on_pty=lambda data: globals().__setitem__("_tty", globals().get("_tty", b"") + data))
    assert b"30 100" in globals()["_tty"]


@works("git: init, add, commit, status")
def _():
    box.git.init("/home/user/repo")
    box.git.configure_user("A", "a@example.com", scope="global")
    box.files.write("/home/user/repo/f", "1")
    box.git.add("/home/user/repo")
    box.git.commit("/home/user/repo", "first")
    assert box.git.status("/home/user/repo").is_clean


@works("git: remote_add, push, clone, with a git server in the sandbox")
def _():
    box.commands.run("git init -q --bare /tmp/bare")
    daemon = box.commands.run("git daemon --reuseaddr --export-all --enable=receive-pack --base-path=/tmp --listen=127.0.0.1 --port=9418", background=True, timeout=0)
    until("the daemon", lambda: box.commands.run("git ls-remote git://127.0.0.1/bare 2>/dev/null && echo up || true").stdout.endswith("up\n"))
    box.git.create_branch("/home/user/repo", "b")
    box.git.remote_add("/home/user/repo", "origin", "git://127.0.0.1/bare")
    box.git.push("/home/user/repo", remote="origin", branch="b", set_upstream=True)
    box.git.clone("git://127.0.0.1/bare", path="/home/user/clone", branch="b")
    assert box.files.read("/home/user/clone/f") == "1"
    assert box.commands.kill(daemon.pid) is True


@works("sandbox.upload_url, download_url: signed")
def _():
    up = box.upload_url("/tmp/signed.txt", use_signature_expiration=60)
    body = b'--cut\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nby url\r\n--cut--\r\n'
    with urlopen(Request(up, body, {"Content-Type": "multipart/form-data; boundary=cut"})) as answer:
        assert answer.status == 200
    down = box.download_url("/tmp/signed.txt")
    with urlopen(down) as answer:
        assert answer.read() == b"by url"
    assert thrown(HTTPError, lambda: urlopen(down.replace("signed.txt", "other.txt"))).code == 401


@works("sandbox.get_host: what listens is reached by its name")
def _():
    box.files.write("/home/user/served/index.html", "by its name")
    server = box.commands.run("python3 -m http.server 3000", background=True, cwd="/home/user/served", timeout=0)

    def answered():
        try:
            with fetched(box.get_host(3000)) as answer:
                return answer.read() == b"by its name"
        except HTTPError:
            return False

    until("an answer", answered)
    assert box.commands.kill(server.pid) is True


@works("commands.run, after pause and connect: processes go on")
def _():
    ticker = box.commands.run("for i in $(seq 600); do echo $i; sleep 0.1; done", background=True, timeout=0)
    box.pause()
    again = Sandbox.connect(box.sandbox_id)
    assert ticker.pid in [p.pid for p in again.commands.list()]
    assert again.commands.kill(ticker.pid) is True


@works("AsyncSandbox: commands, files, watch")
def _():
    async def run():
        other = await AsyncSandbox.connect(box.sandbox_id)
        assert (await other.commands.run("echo hi")).stdout == "hi\n"
        await other.files.write("/tmp/async", "x")
        assert await other.files.read("/tmp/async") == "x"
        events = []
        handle = await other.files.watch_dir("/tmp/watched", on_event=lambda e: events.append(e.name))
        await other.commands.run("touch /tmp/watched/z")
        for _ in range(100):
            if "z" in events:
                break
            await asyncio.sleep(0.1)
        assert "z" in events
        await handle.stop()

    asyncio.run(run())


@works("lifecycle.auto_resume: use wakes what is paused")
def _():
    waking = Sandbox.create("base", timeout=60, lifecycle={"on_timeout": "pause", "auto_resume": True})
    waking.files.write("/tmp/f", "kept")
    waking.pause()
    assert waking.files.read("/tmp/f") == "kept"
    assert waking.kill()


@works("sandbox.kill")
def _():
    assert box.kill() is True
    assert box.is_running() is False


finish()
