// SPDX-License-Identifier: Apache-2.0
// E2B's command line: node cli.mjs
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { finish, works } from './table.mjs';

const e2b = async (...args) => (await promisify(execFile)(process.execPath, ['node_modules/@e2b/cli/dist/index.js', ...args], { timeout: 60_000, env: { ...process.env, HOME: process.cwd() } })).stdout;

let id;
await works('e2b sandbox list', async () => {
  const { Sandbox } = await import('e2b-new');
  id = (await Sandbox.create('base', { timeoutMs: 120_000 })).sandboxId;
  assert.ok((await e2b('sandbox', 'list', '--format', 'json')).includes(id));
});
await works('e2b sandbox info', async () => assert.ok((await e2b('sandbox', 'info', id)).includes('base')));
await works('e2b sandbox metrics', async () => assert.match(await e2b('sandbox', 'metrics', id), /CPU/));
await works('e2b sandbox logs', async () => e2b('sandbox', 'logs', id));
await works('e2b sandbox pause, resume', async () => {
  await e2b('sandbox', 'pause', id);
  await e2b('sandbox', 'resume', id);
});
await works('e2b sandbox kill', async () => {
  await e2b('sandbox', 'kill', id);
  assert.ok(!(await e2b('sandbox', 'list', '--format', 'json')).includes(id));
});
await works('e2b template list', async () => assert.ok((await e2b('template', 'list', '--format', 'json')).includes('base')));
finish();
