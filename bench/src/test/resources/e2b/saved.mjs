// SPDX-License-Identifier: Apache-2.0
// Snapshots, forks, metrics, network, templates and volumes, by the JavaScript SDK: node saved.mjs PACKAGE
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { differs, finish, refused, thrown, works } from './table.mjs';

const sdk = await import(process.argv[2]);
const { Sandbox, Secret, Template, Volume, NotFoundError, TemplateError, BuildError, VolumePathNotFoundError } = sdk;
const mark = `m${process.pid}`;
const all = async (paginator) => {
  const items = [];
  while (paginator.hasNext) items.push(...(await paginator.nextItems()));
  return items;
};

const box = await Sandbox.create('base', { timeoutMs: 300_000, metadata: { mark } });
await differs('sandbox.getMetrics', 'one measurement, of now: there is no history', async () => {
  await box.files.write('/tmp/cached', 'x'.repeat(1 << 20));
  const metrics = await box.getMetrics();
  assert.equal(metrics.length, 1);
  const m = metrics[0];
  assert.ok(m.memUsed > 0 && m.memUsed < m.memTotal && m.memCache > 0 && m.memUsed + m.memCache <= m.memTotal && m.diskTotal > 0 && m.cpuCount >= 1 && m.cpuUsedPct >= 0);
});
await works('sandbox.updateNetwork, to what the policy gives', async () => box.updateNetwork({}));
await works('sandbox.updateNetwork, denyOut of an address', async () => box.updateNetwork({ denyOut: ['192.0.2.0/24'] }));

let snapshot;
await differs('sandbox.createSnapshot', 'saves the disk; processes and memory are not in it', async () => {
  snapshot = await box.createSnapshot();
  assert.match(snapshot.snapshotId, /^[a-z0-9]{20}$/);
});
await works('Sandbox.createSnapshot, with a name', async () => {
  const named = await Sandbox.createSnapshot(box.sandboxId, { name: `snap-${mark}` });
  assert.deepEqual(named.names, [`snap-${mark}:default`]);
  assert.equal(await Sandbox.deleteSnapshot(named.snapshotId), true);
});
await differs('Sandbox.createSnapshot, with a name and a tag', 'the tag `default` moves to it too', async () => {
  const tagged = await Sandbox.createSnapshot(box.sandboxId, { name: `snap-${mark}:v2` });
  assert.deepEqual([...tagged.names].sort(), [`snap-${mark}:default`, `snap-${mark}:v2`]);
  const again = await Sandbox.create(`snap-${mark}:v2`);
  await again.kill();
  assert.equal(await Sandbox.deleteSnapshot(tagged.snapshotId), true);
});
await works('sandbox.listSnapshots', async () => {
  const found = await all(box.listSnapshots());
  assert.deepEqual(found.map((s) => s.snapshotId), [snapshot.snapshotId]);
});
await works('Sandbox.create, from a snapshot', async () => {
  const again = await Sandbox.create(snapshot.snapshotId);
  assert.equal((await again.getInfo()).state, 'running');
  assert.equal(await again.kill(), true);
});
await works('Sandbox.deleteSnapshot', async () => {
  assert.equal(await Sandbox.deleteSnapshot(snapshot.snapshotId), true);
  assert.equal(await Sandbox.deleteSnapshot(snapshot.snapshotId), false);
});
await differs('sandbox.fork', 'copies the disk; processes and memory are not copied', async () => {
  const copies = await box.fork({ count: 2 });
  assert.equal(copies.length, 2);
  for (const copy of copies) {
    assert.notEqual(copy.sandboxId, box.sandboxId);
    assert.deepEqual((await copy.getInfo()).metadata, { mark });
    assert.equal(await copy.kill(), true);
  }
});
await box.kill();

await works('Template.exists', async () => {
  assert.equal(await Template.exists('base'), true);
  assert.equal(await Template.exists('not-there'), false);
});
const name = `made-${mark}`;
await works('Template.build: fromTemplate, setEnvs, setUser, runCmd', async () => {
  const logs = [];
  const template = Template().fromTemplate('base').setEnvs({ GREETING: 'hello' }).runCmd('test "$USER" = user && echo "$GREETING" > here.txt').setUser('root').runCmd('touch /etc/mark');
  const info = await Template.build(template, name, { onBuildLogs: (entry) => logs.push(entry.message) });
  assert.equal(info.templateId, name);
  assert.ok(logs.some((l) => l.includes('step 1/')));
  const made = await Sandbox.create(name);
  assert.equal((await made.getInfo()).templateId, name);
  await made.kill();
});
await works('Template.build, of the same steps again: from the cache', async () => {
  const logs = [];
  const template = Template().fromTemplate('base').setEnvs({ GREETING: 'hello' }).runCmd('test "$USER" = user && echo "$GREETING" > here.txt');
  await Template.build(template, `${name}-b`, { onBuildLogs: (entry) => logs.push(entry.message) });
  assert.ok(logs.some((l) => l.trim() === 'cached'), logs.join('\n'));
});
await works('Template.build, with a step that fails', async () => {
  const error = await thrown(BuildError, () => Template.build(Template().fromTemplate('base').runCmd('exit 7'), `${name}-x`));
  assert.match(error.message, /7/);
});
await works('Template.build, with files (copy), twice', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'copy-'));
  mkdirSync(join(dir, 'app'));
  writeFileSync(join(dir, 'app', 'a.txt'), 'first');
  writeFileSync(join(dir, 'b.txt'), 'second');
  for (let i = 0; i < 2; i++) {
    const logs = [];
    await Template.build(Template({ fileContextPath: dir }).fromTemplate('base').copy('app', '/srv/app', { user: 'root' }).copy('b.txt', 'b.txt')
      .runCmd('test "$(cat /srv/app/a.txt)" = first && test "$(stat -c %U /srv/app/a.txt)" = root && test "$(cat /home/user/b.txt)" = second && test "$(stat -c %U b.txt)" = user'),
    `${name}-c`, { onBuildLogs: (entry) => logs.push(entry.message.trim()) });
    if (i === 1) assert.ok(logs.filter((l) => l === 'cached').length >= 3, logs.join('\n'));
  }
});
await works('Template.build: fromImage, of a registry', async () => {
  await Template.build(Template().fromImage(process.env.TEST_IMAGE).runCmd('test "$(whoami)" = user && test "$OF_IMAGE" = yes && cat /etc/of-image > seen'), `${name}-i`);
  const made = await Sandbox.create(`${name}-i`);
  assert.equal((await made.commands.run('cat seen; pwd; whoami; cat /etc/of-image', {})).stdout, 'shell\n/home/user\nuser\nshell\n');
  await made.kill();
});
await works('Template.build: fromImage, with credentials', async () => {
  const locked = (password) => Template().fromImage(process.env.TEST_LOCKED_IMAGE, { username: 'tester', password }).runCmd('test "$OF_IMAGE" = yes');
  await thrown(BuildError, () => Template.build(locked('wrong'), `${name}-p`));
  await Template.build(locked(process.env.TEST_PASSWORD), `${name}-p`);
});
await refused('Template.build: fromAWSRegistry', 'its keys are no login: 501 names it', 'fromImageRegistry.type',
  () => Template.build(Template().fromAWSRegistry(process.env.TEST_IMAGE, { accessKeyId: 'a', secretAccessKey: 's', region: 'r' }), `${name}-w`));
await works('Template.build: fromDockerfile', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'copy-'));
  writeFileSync(join(dir, 'b.txt'), 'second');
  const dockerfile = `FROM ${process.env.TEST_IMAGE}\nENV A=1\nWORKDIR /srv/app\nCOPY b.txt c.txt\nRUN test "$(cat c.txt)" = second && test "$A" = 1 && test "$(pwd)" = /srv/app\n`;
  await Template.build(Template({ fileContextPath: dir }).fromDockerfile(dockerfile), `${name}-d`);
  const made = await Sandbox.create(`${name}-d`);
  assert.equal((await made.commands.run('cat /srv/app/c.txt; echo $A')).stdout, 'second1\n');
  await made.kill();
});
await works('Template.build: skipCache', async () => {
  const logs = [];
  await Template.build(Template().fromTemplate('base').runCmd('date +%N'), `${name}-s`);
  await Template.build(Template().fromTemplate('base').runCmd('date +%N'), `${name}-s`, { skipCache: true, onBuildLogs: (entry) => logs.push(entry.message.trim()) });
  assert.ok(!logs.includes('cached'), logs.join('\n'));
});
await works('Template.build: aptInstall and the like are RUN: makeDir, makeSymlink, rename, remove, setWorkdir', async () => {
  await Template.build(Template().fromTemplate('base').setWorkdir('/home/user/w').makeDir('a/b').makeSymlink('a/b', 'l').runCmd('touch l/f && test -f a/b/f').rename('a/b/f', 'g')
    .remove('l').runCmd('test -f g && test ! -e l && test "$(pwd)" = /home/user/w'), `${name}-r`);
});
await works('Template.buildInBackground, getBuildStatus', async () => {
  const info = await Template.buildInBackground(Template().fromTemplate('base').runCmd(`sleep 1; : ${name}`), `${name}-g`);
  let status;
  const seen = new Set();
  do {
    status = await Template.getBuildStatus(info);
    seen.add(status.status);
  } while (!['ready', 'error'].includes(status.status));
  assert.equal(status.status, 'ready');
  assert.ok(seen.has('building') || seen.has('waiting'), [...seen].join());
});
await works('Template.build, with a tag', async () => {
  const info = await Template.build(Template().fromTemplate('base').runCmd('echo tagged > /home/user/tagged'), `${name}-t:v1`);
  assert.equal(info.templateId, `${name}-t`);
  const made = await Sandbox.create(`${name}-t:v1`);
  assert.equal(await made.files.read('tagged'), 'tagged\n');
  await made.kill();
});
await works('Template.build, with a name with `_`', async () => {
  await Template.build(Template().fromTemplate('base').runCmd('true'), `${name}_u`.replace('-', '_'));
  assert.equal(await Template.exists(`${name}_u`.replace('-', '_')), true);
});
await works('Template.build, with several tags', async () => {
  await Template.build(Template().fromTemplate('base').runCmd('true'), `${name}-m`, { tags: ['v1', 'v1.2'] });
  assert.deepEqual((await Template.getTags(`${name}-m`)).map((t) => t.tag).sort(), ['default', 'v1', 'v1.2']);
});
await works('Template.aliasExists', async () => assert.deepEqual([await Template.aliasExists(name), await Template.aliasExists('not-there')], [true, false]));
await works('Template.assignTags, getTags, removeTags', async () => {
  const info = await Template.assignTags(`${name}:default`, ['one', 'two']);
  assert.deepEqual(info.tags, ['one', 'two']);
  assert.deepEqual((await Template.getTags(name)).map((t) => t.tag).sort(), ['default', 'one', 'two']);
  const tagged = await Sandbox.create(`${name}:one`);
  await tagged.kill();
  await Template.removeTags(name, 'two');
  assert.deepEqual((await Template.getTags(name)).map((t) => t.tag).sort(), ['default', 'one']);
});

let volume;
await works('Volume.create', async () => {
  volume = await Volume.create(`vol-${mark}`);
  assert.equal(volume.name, `vol-${mark}`);
});
await works('Volume.list, getInfo, connect', async () => {
  assert.ok((await Volume.list()).some((v) => v.volumeId === volume.volumeId));
  assert.equal((await Volume.getInfo(volume.volumeId)).name, volume.name);
  assert.equal((await Volume.connect(volume.volumeId)).volumeId, volume.volumeId);
});
await works('volume.writeFile, readFile', async () => {
  const entry = await volume.writeFile('/a.txt', 'hällo');
  assert.equal(entry.size, 6);
  assert.equal(await volume.readFile('/a.txt'), 'hällo');
  await volume.writeFile('/empty', '');
  assert.equal((await volume.readFile('/empty', { format: 'bytes' })).length, 0);
});
await works('volume.makeDir, list', async () => {
  assert.equal((await volume.makeDir('/d/e', { force: true })).type, 'directory');
  assert.deepEqual((await volume.list('/')).map((e) => e.name).sort(), ['a.txt', 'd', 'empty']);
});
await works('volume.getInfo, exists', async () => {
  const info = await volume.getInfo('/a.txt');
  assert.deepEqual([info.name, info.type, info.size, info.uid], ['a.txt', 'file', 6, 1000]);
  for (const time of [info.atime, info.mtime, info.ctime]) assert.ok(Math.abs(new Date(time) - Date.now()) < 600_000, String(time));
  assert.equal(await volume.exists('/a.txt'), true);
  assert.equal(await volume.exists('/no'), false);
});
await works('volume.updateMetadata', async () => {
  const before = await volume.getInfo('/a.txt');
  await new Promise((r) => setTimeout(r, 100)); // the clock of files is coarse
  const after = await volume.updateMetadata('/a.txt', { mode: 0o600 });
  assert.equal(after.mode & 0o777, 0o600);
  assert.equal(String(after.mtime), String(before.mtime));
  assert.ok(new Date(after.ctime) > new Date(before.ctime), `${after.ctime} after ${before.ctime}`);
});
await works('volume.remove', async () => {
  await volume.remove('/a.txt');
  await thrown(VolumePathNotFoundError, () => volume.readFile('/a.txt'));
});
await works('Sandbox.create, volumeMounts', async () => {
  const holder = await Sandbox.create('base', { volumeMounts: { '/mnt/v': volume.name } });
  assert.deepEqual((await holder.getInfo()).volumeMounts, [{ name: volume.name, path: '/mnt/v' }]);
  await holder.kill();
});
await works('Volume.destroy', async () => {
  assert.equal(await Volume.destroy(volume.volumeId), true);
  assert.equal(await Volume.destroy(volume.volumeId), false);
});
await refused('Secret.create', 'there is no store of secrets yet: 501 names it', 'secrets', () => Secret.create('s', 'v'));
finish();
