// SPDX-License-Identifier: Apache-2.0
// Ways into a sandbox and what it takes to carry much, by the JavaScript SDK: node ways.mjs PACKAGE
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import http2 from 'node:http2';
import { join } from 'node:path';
import { fetched, secured, socket } from './reach.mjs';
import { finish, refused, thrown, works } from './table.mjs';

const sdk = await import(process.argv[2]);
const { Sandbox, NotEnoughSpaceError } = sdk;
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));

const APP = `
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
const server = createServer((request, answer) => {
  if (request.url === '/events') {
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    let n = 0;
    const timer = setInterval(() => {
      answer.write('data: ' + ++n + '\\n\\n');
      if (n === 5) answer.end(clearInterval(timer));
    }, 300);
  } else if (request.url === '/echo') {
    request.pipe(answer);
  } else {
    answer.end(JSON.stringify({ version: request.httpVersion, headers: request.headers }));
  }
});
new WebSocketServer({ server, path: '/socket' }).on('connection', (ws) => ws.on('message', (data, isBinary) => String(data) === 'bye' ? ws.close(4001, 'as asked') : ws.send(data, { binary: isBinary })));
server.listen(3000, '127.0.0.1', () => console.log('listening'));
`;

/** The published package as files of the sandbox. */
const packaged = (dir, to) => readdirSync(dir, { recursive: true, withFileTypes: true }).filter((e) => e.isFile() && /\.(js|mjs|json)$/.test(e.name))
  .map((e) => join(e.parentPath ?? e.path, e.name)).map((file) => ({ path: join(to, file.slice(dir.length)), data: readFileSync(file, 'utf8') }));

async function withApp(opts) {
  const box = await Sandbox.create('base', { timeoutMs: 300_000, ...opts });
  await box.files.write([{ path: '/home/user/app/app.mjs', data: APP }, ...packaged(join(process.cwd(), 'node_modules', 'ws'), '/home/user/app/node_modules/ws')]);
  let listens;
  const ready = new Promise((resolve) => { listens = resolve; });
  const app = await box.commands.run('node app.mjs', { cwd: '/home/user/app', background: true, timeoutMs: 0, onStdout: () => listens() });
  await Promise.race([ready, app.wait()]);
  return box;
}

const box = await withApp({});
const host = box.getHost(3000);
await works('sandbox.getHost: server-sent events come as they are sent', async () => {
  const at = [];
  const answer = await fetched(host, '/events', { onData: () => at.push(Date.now()) });
  assert.equal(await answer.text(), [1, 2, 3, 4, 5].map((n) => `data: ${n}\n\n`).join(''));
  assert.ok(at.at(-1) - at[0] > 600, `all within ${at.at(-1) - at[0]} ms`);
});
await works('sandbox.getHost: WebSocket (the package `ws` at both ends), text, bytes, a mebibyte, close', async () => {
  const ws = await socket(host, '/socket');
  const next = () => new Promise((resolve) => ws.once('message', (data, isBinary) => resolve([data, isBinary])));
  for (const sent of ['hällo', Buffer.from([0, 255, 1]), Buffer.alloc(1 << 20, 7)]) {
    const echoed = next();
    ws.send(sent);
    const [data, isBinary] = await echoed;
    assert.equal(isBinary, typeof sent !== 'string');
    assert.ok(Buffer.from(sent).equals(data));
  }
  const closed = new Promise((resolve) => ws.once('close', (code, reason) => resolve([code, String(reason)])));
  ws.send('bye');
  assert.deepEqual(await closed, [4001, 'as asked']);
});
await works('sandbox.getHost: a body of a mebibyte, there and back', async () => {
  const body = Buffer.alloc(1 << 20, 'x');
  const answer = await fetched(host, '/echo', { method: 'POST', body });
  assert.equal((await answer.text()).length, body.length);
});
if (secured) {
  await works('sandbox.getHost: HTTP/2, ten requests on one connection', async () => {
    const session = http2.connect(`https://${host}`);
    const one = () => new Promise((resolve, reject) => {
      const stream = session.request({ ':path': '/' });
      let text = '';
      stream.on('data', (piece) => { text += piece; }).on('end', () => resolve(JSON.parse(text))).on('error', reject);
    });
    const answers = await Promise.all(Array.from({ length: 10 }, one));
    assert.equal(session.alpnProtocol, 'h2');
    assert.ok(answers.every((a) => a.version === '1.1' && a.headers.host.startsWith(host) && a.headers['x-forwarded-proto'] === 'https'), JSON.stringify(answers[0]));
    session.close();
  });
}
await works('sandbox.getHost: of a port that nothing listens on', async () => {
  const answer = await fetched(box.getHost(3001), '/');
  assert.equal(answer.status, 502);
  const { sandboxId, message, port, code } = JSON.parse(await answer.text());
  assert.deepEqual({ sandboxId, message, port, code }, { sandboxId: box.sandboxId, message: 'The sandbox is running but port is not open', port: 3001, code: 502 });
});
await works('commands.run, background: a hundred at once, every byte', async () => {
  const handles = await Promise.all(Array.from({ length: 100 }, (_, i) => box.commands.run(`seq -f '${i} %g' 10000`, { background: true })));
  const done = await Promise.all(handles.map((h) => h.wait()));
  done.forEach((d, i) => assert.ok(d.stdout === Array.from({ length: 10_000 }, (_, n) => `${i} ${n + 1}\n`).join(''), `${i}: ${d.stdout.length} characters`));
});
await box.kill();

await works('Sandbox.create, network.allowPublicTraffic false: by its token alone', async () => {
  const shut = await withApp({ network: { allowPublicTraffic: false } });
  assert.equal((await fetched(shut.getHost(3000), '/')).status, 403);
  const answer = await fetched(shut.getHost(3000), '/', { headers: { 'e2b-traffic-access-token': shut.trafficAccessToken } });
  assert.equal(answer.status, 200);
  assert.equal(JSON.parse(await answer.text()).headers['e2b-traffic-access-token'], undefined);
  await shut.kill();
});
await works('Sandbox.create, network.maskRequestHost', async () => {
  const masked = await withApp({ network: { maskRequestHost: 'localhost:${PORT}' } });
  const answer = await fetched(masked.getHost(3000), '/');
  assert.equal(JSON.parse(await answer.text()).headers.host, 'localhost:3000');
  await masked.kill();
});
await works('files.write, on a full disk', async () => {
  const full = await Sandbox.create('base', { timeoutMs: 120_000 });
  await full.commands.run('dd if=/dev/zero of=/tmp/fill bs=1M 2>/dev/null; sync; true');
  await thrown(NotEnoughSpaceError, () => full.files.write('/tmp/more', Buffer.alloc(8 << 20, 1).toString('latin1')));
  await full.commands.run('rm /tmp/fill');
  for (let i = 0; ; i++) {
    try {
      assert.equal((await full.files.write('/tmp/more', 'now')).path, '/tmp/more');
      break;
    } catch (error) {
      if (i === 50) throw error; // what is freed is there again a moment later
      await sleep(200);
    }
  }
  await full.kill();
});
await refused('Sandbox.create, network.rules', 'what is sent is not changed on its way out: 501 names it', 'network.rules',
  () => Sandbox.create('base', { network: { rules: { 'api.example.com': [{ transform: { headers: { 'X-A': 'b' } } }] } } }));
await refused('Sandbox.create, network.egressProxy', 'no proxy is used on the way out: 501 names it', 'network.egressProxy',
  () => Sandbox.create('base', { network: { egressProxy: { address: 'proxy.example.com:1080' } } }));
await refused('Sandbox.create, mcp', 'there is no template with that gateway: 501 names it', 'mcp', () => Sandbox.create('base', { mcp: { time: {} } }));
finish();
