// SPDX-License-Identifier: Apache-2.0
// E2B's command line: node cli.mjs
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { differs, finish, refused, works } from './table.mjs';

const PROGRAM = 'node_modules/@e2b/cli/dist/index.js';
const env = { ...process.env, HOME: process.cwd(), CI: '1' };
const mark = `c${process.pid}`;

async function e2b(...args) {
  try {
    const running = promisify(execFile)(process.execPath, [PROGRAM, ...args], { timeout: 90_000, env });
    running.child.stdin.end();
    return (await running).stdout;
  } catch (error) {
    error.message += `\n${error.stdout}\n${error.stderr}`;
    throw error;
  }
}

/** The same at a terminal, at which `typed` is typed once something was printed. */
const atTerminal = (typed, ...args) => new Promise((resolve, reject) => {
  const child = spawn('script', ['-qec', `stty cols 90 rows 30; ${[process.execPath, PROGRAM, ...args].join(' ')}`, '/dev/null'], { env: { ...env, TERM: 'xterm' } });
  let text = '';
  let sent = false;
  const late = setTimeout(() => child.kill('SIGKILL'), 60_000);
  child.stdout.on('data', (piece) => {
    text += piece;
    if (!sent && text.includes('$ ')) {
      sent = true;
      child.stdin.write(typed);
    }
  });
  child.on('error', reject).on('close', (code) => {
    clearTimeout(late);
    resolve({ code, text });
  });
});

let id;
await works('e2b sandbox create --detach', async () => {
  const said = await e2b('sandbox', 'create', 'base', '--detach', '--timeout', '300');
  id = /sb[a-z0-9]{18}/.exec(said)?.[0];
  assert.ok(id, said);
});
await works('e2b sandbox list', async () => {
  const found = JSON.parse(await e2b('sandbox', 'list', '--format', 'json'));
  assert.ok(found.some((s) => s.sandboxId === id), JSON.stringify(found));
  assert.ok((await e2b('sandbox', 'list', '--template', 'base', '--state', 'running', '--order', 'asc')).includes(id));
});
await works('e2b sandbox info', async () => assert.ok((await e2b('sandbox', 'info', id)).includes('base')));
await works('e2b sandbox exec', async () => {
  assert.equal(await e2b('sandbox', 'exec', '-c', '/tmp', '-e', 'X=y', id, 'echo $X; pwd'), 'y\n/tmp\n');
});
await works('e2b sandbox exec, exit code', async () => {
  const error = await e2b('sandbox', 'exec', id, 'exit 7').then(() => ({ code: 0 }), (e) => e);
  assert.equal(error.code, 7, `${error.stdout} ${error.stderr}`);
});
await works('e2b sandbox connect', async () => {
  const { text } = await atTerminal('echo at-$((1+1)); exit\r', 'sandbox', 'connect', id);
  assert.ok(text.includes('at-2'), text);
});
await works('e2b sandbox create, at a terminal', async () => {
  const { text } = await atTerminal('echo at-$((1+2)); exit\r', 'sandbox', 'create', 'base');
  assert.ok(text.includes('at-3'), text);
});
await works('e2b sandbox metrics', async () => assert.match(await e2b('sandbox', 'metrics', id), /CPU/));
await differs('e2b sandbox logs', 'starts and ends of commands', async () => assert.ok((await e2b('sandbox', 'logs', id)).includes('started: ')));
await works('e2b sandbox pause, resume', async () => {
  await e2b('sandbox', 'pause', id);
  assert.ok((await e2b('sandbox', 'list', '--state', 'paused', '--format', 'json')).includes(id));
  await e2b('sandbox', 'resume', id);
});
await works('e2b sandbox snapshot create, list, delete', async () => {
  const made = await e2b('sandbox', 'snapshot', 'create', id, '--name', `snap-${mark}`);
  const [saved] = JSON.parse(await e2b('sandbox', 'snapshot', 'list', id, '--format', 'json'));
  assert.ok(made.includes(saved.snapshotId), made);
  await e2b('sandbox', 'snapshot', 'delete', saved.snapshotId);
  assert.deepEqual(JSON.parse(await e2b('sandbox', 'snapshot', 'list', id, '--format', 'json')), []);
});
await works('e2b sandbox kill', async () => {
  await e2b('sandbox', 'kill', id);
  assert.ok(!(await e2b('sandbox', 'list', '--format', 'json')).includes(id));
});
await works('e2b template init', async () => {
  await e2b('template', 'init', '--name', `init-${mark}`, '--language', 'typescript');
  assert.ok(existsSync(`init-${mark}/template.ts`));
});
await works('e2b template create', async () => {
  mkdirSync(`docker-${mark}`);
  writeFileSync(`docker-${mark}/e2b.Dockerfile`, `FROM ${process.env.TEST_IMAGE}\nCOPY a.txt /a.txt\nRUN test "$(cat /a.txt)" = a\n`);
  writeFileSync(`docker-${mark}/a.txt`, 'a');
  await e2b('template', 'create', `made-${mark}`, '--path', `docker-${mark}`);
  assert.ok(JSON.parse(await e2b('template', 'list', '--format', 'json')).some((t) => t.templateID === `made-${mark}` && t.buildStatus === 'ready'));
});
await works('e2b template list', async () => assert.ok((await e2b('template', 'list', '--format', 'json')).includes('base')));
await refused('e2b template publish', 'templates are the installation\'s: every tenant may use them; 501 names it', 'public', () => e2b('template', 'publish', `made-${mark}`, '-y'));
await refused('e2b template unpublish', 'templates are the installation\'s: every tenant may use them; 501 names it', 'public', () => e2b('template', 'unpublish', `made-${mark}`, '-y'));
await works('e2b template delete', async () => {
  await e2b('template', 'delete', `made-${mark}`, '-y');
  assert.ok(!(await e2b('template', 'list', '--format', 'json')).includes(`made-${mark}`));
});
await works('e2b template migrate', async () => {
  mkdirSync(`old-${mark}`);
  writeFileSync(`old-${mark}/e2b.Dockerfile`, 'FROM debian:12\n');
  await e2b('template', 'migrate', '--name', 'old', '--language', 'python-sync', '--path', `old-${mark}`);
  assert.ok(existsSync(`old-${mark}/template.py`));
});
finish();
