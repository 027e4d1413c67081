// SPDX-License-Identifier: Apache-2.0
// The SDK of a derivative, as it is published: node novita.mjs
import assert from 'node:assert/strict';
import { fetched } from './reach.mjs';
import { differs, finish, refused, thrown, works } from './table.mjs';
import { AuthenticationError, CommandExitError, FileNotFoundError, Novita, Sandbox, SandboxNotFoundError, Secret, Template, Volume } from 'novita-sandbox';

const mark = `nov_${process.pid}_${Date.now()}`;
const all = async (paginator) => {
  const items = [];
  while (paginator.hasNext) items.push(...(await paginator.nextItems()));
  return items;
};
const until = async (what, condition) => {
  for (let i = 0; i < 300; i++) {
    if (await condition()) return;
    await new Promise((r) => setTimeout(r, 100));
  }
  throw new Error(`never: ${what}`);
};

let box;
await works('Sandbox.create, metadata, envs', async () => {
  box = await Sandbox.create('base', { timeoutMs: 600_000, metadata: { mark }, envs: { FROM_CREATE: 'yes' } });
  assert.equal(await box.isRunning(), true);
});
await works('new Novita().sandbox.create, kill', async () => {
  const other = await new Novita().sandbox.create('base');
  await other.kill();
  assert.equal(await other.isRunning(), false);
});
await works('Sandbox.create, with a wrong key', async () => thrown(AuthenticationError, () => Sandbox.create('base', { apiKey: 'nvta_wrong' })));
await works('Sandbox.getInfo, list, setTimeout', async () => {
  assert.equal((await Sandbox.getInfo(box.sandboxId)).metadata.mark, mark);
  assert.deepEqual((await all(Sandbox.list({ query: { metadata: { mark } } }))).map((s) => s.sandboxId), [box.sandboxId]);
  await box.setTimeout(500_000);
  const left = (await box.getInfo()).endAt - Date.now();
  assert.ok(left > 480_000 && left <= 501_000, String(left));
});
await works('Sandbox.connect, pause, connect to a paused one', async () => {
  assert.equal((await (await Sandbox.connect(box.sandboxId)).commands.run('echo $FROM_CREATE')).stdout, 'yes\n');
  assert.equal(await box.pause(), true);
  assert.equal(await box.isRunning(), false);
  assert.equal((await box.getInfo()).state, 'paused');
  await box.connect({ timeoutMs: 500_000 });
  assert.equal(await box.isRunning(), true);
});
await works('Sandbox.getInfo, of one that is not there', async () => thrown(SandboxNotFoundError, () => Sandbox.getInfo('sb000000000000000000')));
await works('commands.run, background, sendStdin, kill', async () => {
  const done = await box.commands.run('echo out; echo err >&2; pwd; whoami');
  assert.deepEqual([done.stdout, done.stderr], ['out\n/home/user\nuser\n', 'err\n']);
  assert.equal((await thrown(CommandExitError, () => box.commands.run('exit 3'))).exitCode, 3);
  const reads = await box.commands.run('read line; echo "got $line"', { background: true, stdin: true });
  await box.commands.sendStdin(reads.pid, 'one\n');
  assert.equal((await reads.wait()).stdout, 'got one\n');
  const long = await box.commands.run('sleep 301', { background: true });
  assert.ok((await box.commands.list()).some((p) => p.pid === long.pid));
  assert.equal(await box.commands.kill(long.pid), true);
  await thrown(CommandExitError, () => long.wait());
});
await works('files: write, read, list, exists, makeDir, rename, remove, watchDir', async () => {
  const { files } = box;
  await files.write('dir/a.txt', 'hällo');
  assert.equal(await files.read('dir/a.txt'), 'hällo');
  await files.makeDir('dir/b');
  await files.rename('dir/a.txt', 'dir/c.txt');
  assert.deepEqual((await files.list('dir')).map((e) => e.name).sort(), ['b', 'c.txt']);
  const events = [];
  const watch = await files.watchDir('dir', (e) => events.push(`${e.type} ${e.name}`));
  await files.remove('dir/c.txt');
  await until('remove', async () => events.includes('remove c.txt'));
  await watch.stop();
  assert.equal(await files.exists('dir/c.txt'), false);
  await thrown(FileNotFoundError, () => files.read('dir/c.txt')).catch(async (error) => assert.match(String(error), /not found|does not exist|404/i));
});
await works('sandbox.uploadUrl, downloadUrl', async () => {
  const form = new FormData();
  form.append('file', new Blob(['signed']), 'signed.txt');
  assert.equal((await fetch(await box.uploadUrl('signed.txt'), { method: 'POST', body: form })).status, 200);
  assert.equal(await (await fetch(await box.downloadUrl('signed.txt'))).text(), 'signed');
});
await works('pty.create, sendInput, kill', async () => {
  let seen = '';
  const terminal = await box.pty.create({ cols: 80, rows: 24, onData: (data) => { seen += new TextDecoder().decode(data); } });
  await box.pty.sendInput(terminal.pid, new TextEncoder().encode('echo $((6*7))\n'));
  await until('42', async () => seen.includes('42'));
  assert.equal(await box.pty.kill(terminal.pid), true);
});
await works('git: init, add, commit, status', async () => {
  await box.git.init('/home/user/repo');
  await box.git.configureUser('A', 'a@example.com', { path: '/home/user/repo', scope: 'local' });
  await box.files.write('/home/user/repo/f', 'x');
  await box.git.add('/home/user/repo');
  await box.git.commit('/home/user/repo', 'first');
  assert.equal((await box.commands.run('git -C repo log --format=%s')).stdout, 'first\n');
});
await works('sandbox.getHost: what listens is reached by its name', async () => {
  await box.commands.run('python3 -m http.server 8123', { background: true, cwd: '/srv', timeoutMs: 0 });
  await until('answer', async () => (await fetched(box.getHost(8123), '/')).status === 200);
});
await differs('sandbox.getMetrics', 'one measurement, of now: there is no history', async () => {
  const [m, ...more] = await box.getMetrics();
  assert.ok(m.memUsed > 0 && m.cpuCount >= 1 && more.length === 0);
});
await works('sandbox.setNetwork', async () => box.setNetwork({ denyOut: ['192.0.2.0/24'] }));
await differs('Sandbox.clone', 'copies the disk; processes and memory are not copied', async () => {
  await box.files.write('/home/user/cloned', 'yes');
  const clones = await Sandbox.clone(box.sandboxId, { count: 2, strict: true });
  assert.equal(clones.count, 2);
  for (const clone of clones.sandboxes) {
    assert.equal(await clone.files.read('/home/user/cloned'), 'yes');
    assert.equal(await Sandbox.kill(clone.sandboxId), true);
  }
});
await differs('sandbox.createSnapshot, listSnapshots, create from it, deleteSnapshot', 'saves the disk; processes and memory are not in it', async () => {
  const snapshot = await box.createSnapshot();
  assert.ok((await all(box.listSnapshots())).some((s) => s.snapshotId === snapshot.snapshotId));
  const again = await Sandbox.create(snapshot.snapshotId);
  assert.equal(await again.files.read('/home/user/cloned'), 'yes');
  assert.equal(await Sandbox.kill(again.sandboxId), true);
  assert.equal(await Sandbox.deleteSnapshot(snapshot.snapshotId), true);
});
await works('sandbox.reset: the disk is the template\'s again', async () => {
  assert.equal(await box.reset({ timeoutMs: 400_000 }), true);
  assert.equal(await box.files.exists('/home/user/cloned'), false);
  assert.equal((await box.commands.run('echo $FROM_CREATE')).stdout, 'yes\n');
});
await works('sandbox.reset, resume false: it is paused', async () => {
  assert.equal(await box.reset({ resume: false }), true);
  assert.equal((await box.getInfo()).state, 'paused');
  await box.connect();
});
await refused('sandbox.connect, allowPublicTraffic', 'who reaches a sandbox is fixed when it is made: 501 names it', 'allowPublicTraffic', () => Sandbox.connect(box.sandboxId, { allowPublicTraffic: false }));
await works('Template.build, exists, with a name with `_`', async () => {
  await Template.build(Template().fromTemplate('base').runCmd('echo built > /home/user/built').setEnvs({ A: 'b' }), mark);
  assert.equal(await Template.exists(mark), true);
  const made = await Sandbox.create(mark);
  assert.equal((await made.commands.run('cat built; echo $A')).stdout, 'built\nb\n');
  await made.kill();
});
await works('Sandbox.create, image: a template is built of it once', async () => {
  for (let i = 0; i < 2; i++) {
    const made = await Sandbox.create({ image: process.env.TEST_IMAGE, build: { buildLogs: false } });
    assert.equal((await made.commands.run('cat /etc/of-image')).stdout, 'shell\n');
    await made.kill();
  }
});
await refused('Template.setPatchCmd', 'nothing is run before a sandbox of a template starts: 501 names it', 'preBootScript',
  () => Template.build(Template().fromTemplate('base').setPatchCmd('true'), `${mark}_p`));
await works('Volume.create with quotaSizeGiB, list, getInfo, mount, destroy', async () => {
  const volume = await Volume.create(`Vol_${process.pid}`, { quotaSizeGiB: 1 });
  assert.equal((await Volume.getInfo(volume.volumeId)).quotaSizeGiB, 1);
  assert.ok((await Volume.list()).some((v) => v.name === volume.name));
  const made = await Sandbox.create('base', { volumeMounts: { '/data': volume } });
  await made.commands.run('echo kept > /data/x');
  await made.kill();
  assert.equal(await Volume.destroy(volume.volumeId), true);
});
await refused('Volume.updateQuota', 'the size of a volume is fixed when it is made: 501', '501', async () => {
  const volume = await Volume.create(`quota-${process.pid}`);
  try {
    await Volume.updateQuota(volume.volumeId, { quotaSizeGiB: 2 });
  } finally {
    await Volume.destroy(volume.volumeId);
  }
});
await refused('Sandbox.getQuota', 'what a tenant may have is the operator\'s configuration: 501 names it', 'quota', () => Sandbox.getQuota());
await refused('Sandbox.getEvents', 'they are read at /events/sandboxes: 501 names it', 'events', () => Sandbox.getEvents());
await refused('Sandbox.hotplugMemory', 'memory is fixed when a sandbox is made: 501 names it', 'requested_size_mib', () => Sandbox.hotplugMemory(box.sandboxId, 2048));
await refused('Sandbox.mountVolume', 'volumes are mounted when a sandbox is made: 501 names it', 'volumeMounts', () => Sandbox.mountVolume(box.sandboxId, 'v', '/v'));
await refused('Secret.create', 'there is no store of secrets yet: 501 names it', 'secrets', () => Secret.create({ name: 'S', value: 'v', hosts: ['example.com'] }));
await refused('Sandbox.create, secretEnvs', 'there is no store of secrets yet: 501 names it', 'secrets', () => Sandbox.create('base', { secretEnvs: { A: 'S' } }));
await works('sandbox.kill', async () => {
  await box.kill();
  assert.equal(await Sandbox.kill(box.sandboxId), false);
  assert.equal(await box.isRunning(), false);
});
finish();
