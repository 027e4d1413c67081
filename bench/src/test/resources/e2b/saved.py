# SPDX-License-Identifier: Apache-2.0
"""Snapshots, forks, metrics, network, templates and volumes, by the Python SDK."""
import os
import tempfile
import time

from e2b import Sandbox, Template, Volume
from e2b.exceptions import BuildException
from table import differs, finish, refused, thrown, works

MARK = f"p{os.getpid()}"
NAME = f"made-{MARK}"
snapshot = volume = None


def everything(paginator):
    items = []
    while paginator.has_next:
        items += paginator.next_items()
    return items


box = Sandbox.create("base", timeout=300, metadata={"mark": MARK})


@differs("sandbox.get_metrics", "one measurement, of now: there is no history")
def _():
    box.files.write("/tmp/cached", "x" * (1 << 20))
    [m] = box.get_metrics()
    assert 0 < m.mem_used < m.mem_total and m.mem_cache > 0 and m.disk_total > 0 and m.cpu_count >= 1 and m.cpu_used_pct >= 0


@works("sandbox.update_network, to what the policy gives")
def _():
    box.update_network({})


@works("sandbox.update_network, deny_out of an address")
def _():
    box.update_network({"deny_out": ["192.0.2.0/24"]})


@differs("sandbox.create_snapshot", "saves the disk; processes and memory are not in it")
def _():
    global snapshot
    snapshot = box.create_snapshot()


@works("Sandbox.create_snapshot, with a name")
def _():
    named = Sandbox.create_snapshot(box.sandbox_id, name=f"snap-{MARK}")
    assert named.names == [f"snap-{MARK}:default"], named
    assert Sandbox.delete_snapshot(named.snapshot_id) is True


@works("sandbox.list_snapshots")
def _():
    assert [s.snapshot_id for s in everything(box.list_snapshots())] == [snapshot.snapshot_id]


@works("Sandbox.create, from a snapshot")
def _():
    assert Sandbox.create(snapshot.snapshot_id).kill()


@works("Sandbox.delete_snapshot")
def _():
    assert Sandbox.delete_snapshot(snapshot.snapshot_id) is True
    assert Sandbox.delete_snapshot(snapshot.snapshot_id) is False


@differs("sandbox.fork", "copies the disk; processes and memory are not copied")
def _():
    copies = box.fork(count=2)
    assert len({c.sandbox_id for c in copies} | {box.sandbox_id}) == 3
    assert all([c.kill() for c in copies])


box.kill()


@works("Template.exists")
def _():
    assert Template.exists("base") is True
    assert Template.exists("not-there") is False


@works("Template.build: from_template, set_envs, set_user, run_cmd")
def _():
    logs = []
    template = Template().from_template("base").set_envs({"GREETING": "hello"}).run_cmd('test "$USER" = user && echo "$GREETING" > here.txt').set_user("root").run_cmd("touch /etc/mark")
    info = Template.build(template, NAME, on_build_logs=lambda entry: logs.append(entry.message))
    assert info.template_id == NAME
    assert any("step 1/" in line for line in logs), logs
    made = Sandbox.create(NAME)
    assert made.get_info().template_id == NAME
    made.kill()


@works("Template.build, with files (copy)")
def _():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "app"))
        for name, text in (("app/a.txt", "first"), ("b.txt", "second")):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        template = Template(file_context_path=folder).from_template("base").copy("app", "/srv/app", user="root").copy("b.txt", "b.txt")
        Template.build(template.run_cmd('test "$(cat /srv/app/a.txt)" = first && test "$(cat /home/user/b.txt)" = second'), NAME + "-c")


@works("Template.build, with a step that fails")
def _():
    error = thrown(BuildException, lambda: Template.build(Template().from_template("base").run_cmd("exit 7"), NAME + "-x"))
    assert "7" in str(error)


@works("Template.build: from_image, of a registry")
def _():
    image = os.environ["TEST_IMAGE"]
    Template.build(Template().from_image(image).run_cmd('test "$(whoami)" = user && test "$OF_IMAGE" = yes && cat /etc/of-image > seen'), NAME + "-i")
    made = Sandbox.create(NAME + "-i")
    assert made.commands.run("cat seen; pwd; whoami").stdout == "shell\n/home/user\nuser\n"
    made.kill()


@works("Template.build: from_image, with credentials")
def _():
    def locked(password):
        return Template().from_image(os.environ["TEST_LOCKED_IMAGE"], username="tester", password=password).run_cmd('test "$OF_IMAGE" = yes')

    thrown(BuildException, lambda: Template.build(locked("wrong"), NAME + "-p"))
    Template.build(locked(os.environ["TEST_PASSWORD"]), NAME + "-p")


@works("Template.build: from_dockerfile")
def _():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "b.txt"), "w") as file:
            file.write("second")
        dockerfile = f'FROM {os.environ["TEST_IMAGE"]}\nENV A=1\nWORKDIR /srv/app\nCOPY b.txt c.txt\nRUN test "$(cat c.txt)" = second && test "$A" = 1 && test "$(pwd)" = /srv/app\n'
        Template.build(Template(file_context_path=folder).from_dockerfile(dockerfile), NAME + "-d")
    made = Sandbox.create(NAME + "-d")
    assert made.commands.run("cat /srv/app/c.txt; echo $A").stdout == "second1\n"
    made.kill()


@works("Template.build_in_background, get_build_status")
def _():
    info = Template.build_in_background(Template().from_template("base").run_cmd(f"sleep 1; : {NAME}"), NAME + "-g")
    seen = []
    while not seen or seen[-1] not in ("ready", "error"):
        seen.append(Template.get_build_status(info).status.value)
    assert seen[-1] == "ready" and ("building" in seen or "waiting" in seen), set(seen)


@works("Template.build, with a tag")
def _():
    info = Template.build(Template().from_template("base").run_cmd("echo tagged > /home/user/tagged"), NAME + "-t:v1")
    assert info.template_id == NAME + "-t"
    made = Sandbox.create(NAME + "-t:v1")
    assert made.files.read("tagged") == "tagged\n"
    made.kill()


@works("Template.build, with a name with `_`")
def _():
    Template.build(Template().from_template("base").run_cmd("true"), NAME + "_u")
    assert Template.exists(NAME + "_u") is True


@works("Template.build, with several tags")
def _():
    Template.build(Template().from_template("base").run_cmd("true"), NAME + "-m", tags=["v1", "v1.2"])
    assert sorted(t.tag for t in Template.get_tags(NAME + "-m")) == ["default", "v1", "v1.2"]


@works("Template.build: set_start_cmd, wait_for_url: runs in each sandbox, and create waits for it")
def _():
    from e2b import wait_for_url

    Template.build(Template().from_template("base").set_start_cmd("python3 -m http.server 8000", wait_for_url("http://127.0.0.1:8000")), NAME + "-u")
    made = Sandbox.create(NAME + "-u")
    assert made.commands.run('curl -s -o /dev/null -w "%{http_code}" http://127.0.0.1:8000/').stdout == "200"
    made.kill()


@works("Template.alias_exists")
def _():
    assert Template.alias_exists(NAME) is True and Template.alias_exists("not-there") is False


@works("AsyncTemplate.build")
def _():
    import asyncio

    from e2b import AsyncTemplate

    asyncio.run(AsyncTemplate.build(AsyncTemplate().from_template("base").run_cmd("true"), NAME + "-a"))


@works("Template.assign_tags, get_tags, remove_tags")
def _():
    assert Template.assign_tags(f"{NAME}:default", ["one", "two"]).tags == ["one", "two"]
    assert sorted(t.tag for t in Template.get_tags(NAME)) == ["default", "one", "two"]
    Template.remove_tags(NAME, "two")
    assert sorted(t.tag for t in Template.get_tags(NAME)) == ["default", "one"]


@works("Volume.create")
def _():
    global volume
    volume = Volume.create(f"vol-{MARK}")
    assert volume.name == f"vol-{MARK}"


@works("Volume.list, get_info, connect")
def _():
    assert volume.volume_id in [v.volume_id for v in Volume.list()]
    assert Volume.get_info(volume.volume_id).name == volume.name
    assert Volume.connect(volume.volume_id).volume_id == volume.volume_id


@works("volume.write_file, read_file")
def _():
    assert volume.write_file("/a.txt", "hällo").size == 6
    assert volume.read_file("/a.txt") == "hällo"


@works("volume.make_dir, list")
def _():
    volume.make_dir("/d/e", force=True)
    assert sorted(e.name for e in volume.list("/")) == ["a.txt", "d"]


@works("volume.get_info, exists")
def _():
    info = volume.get_info("/a.txt")
    assert (info.name, info.size, info.uid) == ("a.txt", 6, 1000)
    assert info.ctime >= info.mtime and info.atime.year == info.mtime.year
    assert volume.exists("/a.txt") is True
    assert volume.exists("/no") is False


@works("volume.update_metadata")
def _():
    before = volume.get_info("/a.txt")
    time.sleep(0.1)  # the clock of files is coarse
    after = volume.update_metadata("/a.txt", mode=0o600)
    assert after.mode & 0o777 == 0o600 and after.mtime == before.mtime and after.ctime > before.ctime, (before, after)


@works("volume.remove")
def _():
    volume.remove("/a.txt")
    assert volume.exists("/a.txt") is False


@works("Sandbox.create, volume_mounts")
def _():
    holder = Sandbox.create("base", volume_mounts={"/mnt/v": volume.name})
    assert [(m.name, m.path) if not isinstance(m, dict) else (m["name"], m["path"]) for m in holder.get_info().volume_mounts] == [(volume.name, "/mnt/v")]
    holder.kill()


@works("Volume.destroy")
def _():
    assert Volume.destroy(volume.volume_id) is True
    assert Volume.destroy(volume.volume_id) is False


@refused("Secret.create", "there is no store of secrets yet: 501 names it", "secrets")
def _():
    from e2b import Secret

    Secret.create("s", "v")


finish()
