// SPDX-License-Identifier: Apache-2.0
// The control plane, by the JavaScript SDK: node control.mjs PACKAGE
import assert from 'node:assert/strict';
import { differs, finish, refused, thrown, works } from './table.mjs';

const sdk = await import(process.argv[2]);
const { Sandbox, Volume, NotFoundError, AuthenticationError, SandboxError } = sdk;
const UNKNOWN = 'sb000000000000000000';
const mark = `m${process.pid}`;
const close = (a, b, ms = 5_000) => assert.ok(Math.abs(new Date(a) - b) < ms, `${a} is not near ${new Date(b).toISOString()}`);
const all = async (paginator) => {
  const items = [];
  while (paginator.hasNext) items.push(...(await paginator.nextItems()));
  return items;
};

let box;
await works('Sandbox.create', async () => {
  box = await Sandbox.create('base', { timeoutMs: 120_000, metadata: { mark, 'k 1': 'v&2=ü' }, envs: { A: '1' } });
  assert.match(box.sandboxId, /^[a-z0-9]{20}$/);
});
await works('Sandbox.getInfo', async () => {
  const info = await Sandbox.getInfo(box.sandboxId);
  assert.equal(info.sandboxId, box.sandboxId);
  assert.equal(info.templateId, 'base');
  assert.equal(info.state, 'running');
  assert.deepEqual(info.metadata, { mark, 'k 1': 'v&2=ü' });
  close(info.endAt, Date.now() + 120_000);
  assert.ok(info.cpuCount >= 1 && info.memoryMB >= 128);
});
await works('sandbox.getInfo', async () => assert.equal((await box.getInfo()).sandboxId, box.sandboxId));
await works('Sandbox.create, of a template that is not there', async () => {
  const error = await thrown(SandboxError, () => Sandbox.create('not-there'));
  assert.match(error.message, /404/);
});
await works('Sandbox.create, with a wrong key', async () => {
  await thrown(AuthenticationError, () => Sandbox.create('base', { apiKey: 'e2b_' + '0'.repeat(40) }));
});
await works('Sandbox.create, longer than the operator allows', async () => {
  const error = await thrown(SandboxError, () => Sandbox.create('base', { timeoutMs: 10 * 24 * 3600_000 }));
  assert.match(error.message, /400.*lifetime/);
});
await works('Sandbox.list, by metadata', async () => {
  const found = await all(Sandbox.list({ query: { metadata: { mark, 'k 1': 'v&2=ü' } } }));
  assert.deepEqual(found.map((s) => s.sandboxId), [box.sandboxId]);
  assert.deepEqual(await all(Sandbox.list({ query: { metadata: { mark, 'k 1': 'other' } } })), []);
});
await works('Sandbox.list, by state', async () => {
  assert.equal((await all(Sandbox.list({ query: { metadata: { mark }, state: ['running'] } }))).length, 1);
  assert.equal((await all(Sandbox.list({ query: { metadata: { mark }, state: ['paused'] } }))).length, 0);
});
await works('Sandbox.list, page by page', async () => {
  const more = await Promise.all([1, 2].map(() => Sandbox.create('base', { metadata: { mark } })));
  const pages = Sandbox.list({ query: { metadata: { mark } }, limit: 2 });
  const first = await pages.nextItems();
  assert.equal(first.length, 2);
  assert.ok(pages.hasNext);
  const second = await pages.nextItems();
  assert.equal(second.length, 1);
  assert.ok(!pages.hasNext);
  assert.equal(new Set([...first, ...second].map((s) => s.sandboxId)).size, 3);
  assert.equal(second[0].sandboxId, box.sandboxId, 'the oldest is last');
  assert.deepEqual(await Promise.all(more.map((s) => s.kill())), [true, true]);
});
await works('Sandbox.setTimeout', async () => {
  await Sandbox.setTimeout(box.sandboxId, 60_000);
  close((await box.getInfo()).endAt, Date.now() + 60_000);
});
await works('sandbox.setTimeout', async () => {
  await box.setTimeout(300_000);
  close((await box.getInfo()).endAt, Date.now() + 300_000);
});
await works('Sandbox.connect', async () => {
  const again = await Sandbox.connect(box.sandboxId, { timeoutMs: 10_000 });
  assert.equal(again.sandboxId, box.sandboxId);
  close((await box.getInfo()).endAt, Date.now() + 300_000);
});
await works('Sandbox.connect, to one that is not there', async () => {
  await thrown(NotFoundError, () => Sandbox.connect(UNKNOWN));
});
await works('sandbox.pause', async () => {
  assert.equal(await box.pause(), true);
  const info = await box.getInfo();
  assert.equal(info.state, 'paused');
});
await works('Sandbox.pause, of one that is paused', async () => assert.equal(await Sandbox.pause(box.sandboxId), false));
await works('Sandbox.list, of paused ones', async () => {
  const found = await all(Sandbox.list({ query: { metadata: { mark }, state: ['paused'] } }));
  assert.deepEqual(found.map((s) => s.sandboxId), [box.sandboxId]);
});
await works('Sandbox.connect, to a paused one', async () => {
  await Sandbox.connect(box.sandboxId, { timeoutMs: 60_000 });
  const info = await box.getInfo();
  assert.equal(info.state, 'running');
  close(info.endAt, Date.now() + 60_000);
});
await works('Sandbox.create, lifecycle.onTimeout pause', async () => {
  const short = await Sandbox.create('base', { timeoutMs: 1_000, lifecycle: { onTimeout: 'pause' } });
  for (let i = 0; i < 100 && (await short.getInfo()).state !== 'paused'; i++) await new Promise((r) => setTimeout(r, 100));
  const info = await short.getInfo();
  assert.equal(info.state, 'paused');
  await Sandbox.connect(short.sandboxId);
  assert.equal((await short.getInfo()).state, 'running');
  assert.equal(await short.kill(), true);
});
await works('Sandbox.create, lifecycle.autoResume: told by getInfo', async () => {
  const waking = await Sandbox.create('base', { lifecycle: { onTimeout: 'pause', autoResume: true } });
  assert.deepEqual((await waking.getInfo()).lifecycle, { autoResume: true, onTimeout: 'pause' });
  await waking.kill();
});
await works('Sandbox.create, allowInternetAccess false', async () => {
  const shut = await Sandbox.create('base', { allowInternetAccess: false });
  assert.equal((await shut.getInfo()).allowInternetAccess, false);
  await shut.kill();
});
await works('Sandbox.create, network.allowOut', async () => {
  const narrow = await Sandbox.create('base', { network: { allowOut: ['1.1.1.1'], denyOut: ['0.0.0.0/0'] } });
  assert.deepEqual((await narrow.getInfo()).network.allowOut, ['1.1.1.1']);
  await narrow.kill();
});
await works('Sandbox.kill', async () => {
  assert.equal(await Sandbox.kill(box.sandboxId), true);
  assert.equal(await Sandbox.kill(box.sandboxId), false);
});
await works('sandbox.kill', async () => {
  const other = await Sandbox.create('base');
  assert.equal(await other.kill(), true);
});
await works('Sandbox.getInfo, of one that was killed', async () => {
  await thrown(NotFoundError, () => Sandbox.getInfo(box.sandboxId));
});
await works('Sandbox.kill, of one that is not there', async () => assert.equal(await Sandbox.kill(UNKNOWN), false));
finish();
