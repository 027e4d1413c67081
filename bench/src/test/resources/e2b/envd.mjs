// SPDX-License-Identifier: Apache-2.0
// Commands, files, terminals, watches and git, by the JavaScript SDK: node envd.mjs PACKAGE
import assert from 'node:assert/strict';
import { fetched } from './reach.mjs';
import { finish, thrown, works } from './table.mjs';

const sdk = await import(process.argv[2]);
const { Sandbox, CommandExitError, FileNotFoundError, NotFoundError, SandboxError, TimeoutError, AuthenticationError, InvalidArgumentError, Template, waitForURL } = sdk;
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const until = async (what, condition) => {
  for (let i = 0; i < 300; i++) {
    if (await condition()) return;
    await sleep(100);
  }
  throw new Error(`never: ${what}`);
};

const box = await Sandbox.create('base', { timeoutMs: 600_000, envs: { FROM_CREATE: 'yes' } });
const { commands, files, pty, git } = box;

await works('sandbox.isRunning', async () => assert.equal(await box.isRunning(), true));
await works('commands.run', async () => {
  const done = await commands.run('echo out; echo err >&2; echo $FROM_CREATE $USER $HOME; pwd');
  assert.equal(done.exitCode, 0);
  assert.equal(done.stdout, 'out\nyes user /home/user\n/home/user\n');
  assert.equal(done.stderr, 'err\n');
});
await works('commands.run, onStdout and onStderr', async () => {
  const seen = [];
  await commands.run('echo a; sleep 0.2; echo b >&2', { onStdout: (t) => seen.push(`o${t}`), onStderr: (t) => seen.push(`e${t}`) });
  assert.deepEqual(seen, ['oa\n', 'eb\n']);
});
await works('commands.run, cwd, envs, user', async () => {
  const done = await commands.run('pwd; echo $X; whoami', { cwd: '/tmp', envs: { X: 'y z' }, user: 'root' });
  assert.equal(done.stdout, '/tmp\ny z\nroot\n');
});
await works('commands.run, exit code', async () => {
  const error = await thrown(CommandExitError, () => commands.run('echo gone; exit 3'));
  assert.deepEqual([error.exitCode, error.stdout], [3, 'gone\n']);
});
await works('commands.run, a million bytes', async () => assert.equal((await commands.run('head -c 1000000 /dev/zero | tr "\\0" x')).stdout.length, 1_000_000));
await works('commands.run, characters in pieces', async () => assert.equal((await commands.run("printf '\\xe2'; sleep 0.1; printf '\\x89'; sleep 0.1; printf '\\xa4'")).stdout, '≤'));
await works('commands.run, timeoutMs ends the command', async () => {
  await thrown(TimeoutError, () => commands.run('sleep 301', { timeoutMs: 1_000 }));
  await until('sleep is gone', async () => (await commands.run('pgrep -f "[s]leep 301" || true')).stdout === '');
});
await works('commands.run, cwd that is not there', async () => thrown(InvalidArgumentError, () => commands.run('true', { cwd: '/not/there' })));
await works('commands.run, user that is not there', async () => thrown(AuthenticationError, () => commands.run('true', { user: 'nobodyhere' })));
let running;
await works('commands.run, background', async () => {
  running = await commands.run('while read line; do echo "got $line"; done', { background: true, stdin: true });
  assert.ok(running.pid > 0);
});
await works('commands.list', async () => assert.ok((await commands.list()).some((p) => p.pid === running.pid)));
await works('commands.sendStdin', async () => {
  await commands.sendStdin(running.pid, 'one\n');
  await until('one', async () => running.stdout.includes('got one'));
});
await works('commands.connect', async () => {
  const again = await commands.connect(running.pid);
  await commands.sendStdin(running.pid, 'two\n');
  await until('two', async () => again.stdout.includes('got two'));
  await again.disconnect();
});
await works('commands.closeStdin', async () => {
  await commands.closeStdin(running.pid);
  assert.equal((await running.wait()).stdout, 'got one\ngot two\n');
});
await works('commands.kill', async () => {
  const victim = await commands.run('sleep 302', { background: true });
  assert.equal(await commands.kill(victim.pid), true);
  await thrown(CommandExitError, () => victim.wait());
  assert.equal(await commands.kill(victim.pid), false);
});
await works('commands.connect, to a pid that is not there', async () => thrown(NotFoundError, () => commands.connect(999_999)));

await works('files.write, read', async () => {
  const info = await files.write('dir/a.txt', 'hällo');
  assert.equal(info.path, '/home/user/dir/a.txt');
  assert.equal(await files.read('dir/a.txt'), 'hällo');
  assert.equal((await commands.run('stat -c "%U %a" dir/a.txt')).stdout, 'user 644\n');
});
await works('files.read, of an empty file', async () => {
  await files.write('empty', '');
  assert.equal(await files.read('empty'), '');
});
await works('files.read: bytes, blob, stream', async () => {
  const bytes = new Uint8Array(100_000).map((_, i) => i % 251);
  await files.write('/tmp/bytes', bytes.buffer);
  assert.deepEqual(await files.read('/tmp/bytes', { format: 'bytes' }), bytes);
  assert.equal((await files.read('/tmp/bytes', { format: 'blob' })).size, bytes.length);
  let n = 0;
  for await (const chunk of await files.read('/tmp/bytes', { format: 'stream' })) n += chunk.length;
  assert.equal(n, bytes.length);
});
await works('files.write, several', async () => {
  const infos = await files.write([{ path: '/tmp/w/1', data: 'one' }, { path: '/tmp/w/2', data: 'two' }]);
  assert.deepEqual(infos.map((i) => i.name), ['1', '2']);
  assert.equal(await files.read('/tmp/w/2'), 'two');
});
await works('files.read, of what is not there', async () => thrown(FileNotFoundError, () => files.read('/not/there')));
await works('files.list', async () => {
  const entries = await files.list('/tmp/w');
  assert.deepEqual(entries.map((e) => [e.name, e.type, e.path, e.size]), [['1', 'file', '/tmp/w/1', 3], ['2', 'file', '/tmp/w/2', 3]]);
});
await works('files.list, depth', async () => {
  await files.makeDir('/tmp/deep/a/b');
  assert.deepEqual((await files.list('/tmp/deep', { depth: 2 })).map((e) => e.path), ['/tmp/deep/a', '/tmp/deep/a/b']);
});
await works('files.exists, getInfo', async () => {
  assert.equal(await files.exists('/tmp/w/1'), true);
  assert.equal(await files.exists('/tmp/w/no'), false);
  const info = await files.getInfo('/tmp/w/1');
  assert.deepEqual([info.name, info.type, info.size, info.owner, info.permissions], ['1', 'file', 3, 'user', '-rw-r--r--']);
});
await works('files.makeDir', async () => {
  assert.equal(await files.makeDir('/tmp/made/x'), true);
  assert.equal(await files.makeDir('/tmp/made/x'), false);
});
await works('files.rename', async () => {
  assert.equal((await files.rename('/tmp/w/1', '/tmp/w/3')).path, '/tmp/w/3');
  assert.equal(await files.exists('/tmp/w/1'), false);
});
await works('files.remove', async () => {
  await files.remove('/tmp/w');
  assert.equal(await files.exists('/tmp/w'), false);
});
await works('POST /files/compose, by the SDK\'s own client of the daemon', async () => {
  await files.write([{ path: '/tmp/c/1', data: 'first ' }, { path: '/tmp/c/2', data: 'second' }]);
  const { data, response } = await files.envdApi.api.POST('/files/compose', { body: { source_paths: ['/tmp/c/1', '/tmp/c/2'], destination: '/tmp/c/whole' } });
  assert.deepEqual([response.status, data], [200, { path: '/tmp/c/whole', name: 'whole', type: 'file' }]);
  assert.equal(await files.read('/tmp/c/whole'), 'first second');
  assert.deepEqual((await files.list('/tmp/c')).map((e) => e.name), ['whole']);
});
await works('files.watchDir', async () => {
  await files.makeDir('/tmp/watched');
  const events = [];
  const handle = await files.watchDir('/tmp/watched', (event) => events.push(`${event.type} ${event.name}`));
  await files.write('/tmp/watched/f', 'x');
  await commands.run('echo y > /tmp/watched/g && mv /tmp/watched/g /tmp/watched/h && rm /tmp/watched/h');
  await until('events', async () => ['create g', 'write g', 'rename g', 'remove h'].every((e) => events.includes(e)));
  await handle.stop();
});
await works('sandbox.uploadUrl, downloadUrl: signed', async () => {
  const up = await box.uploadUrl('/tmp/signed.txt', { useSignatureExpiration: 60_000 });
  const form = new FormData();
  form.append('file', new Blob(['by url']), 'signed.txt');
  assert.equal((await fetch(up, { method: 'POST', body: form })).status, 200);
  const down = await box.downloadUrl('/tmp/signed.txt');
  assert.equal(await (await fetch(down)).text(), 'by url');
  assert.equal((await fetch(down.replace('signed.txt', 'other.txt'))).status, 401);
});
await works('pty.create, sendInput, resize, kill', async () => {
  let text = '';
  const terminal = await pty.create({ cols: 80, rows: 24, onData: (data) => { text += new TextDecoder().decode(data); } });
  await pty.sendInput(terminal.pid, new TextEncoder().encode('tty; stty size\n'));
  await until('24 80', async () => text.includes('24 80'));
  await pty.resize(terminal.pid, { cols: 100, rows: 30 });
  await pty.sendInput(terminal.pid, new TextEncoder().encode('stty size\n'));
  await until('30 100', async () => text.includes('30 100'));
  assert.equal(await pty.kill(terminal.pid), true);
});
await works('git: init, add, commit, status, branches', async () => {
  await git.init('/home/user/repo');
  await git.configureUser('A', 'a@example.com', { scope: 'global' });
  await files.write('/home/user/repo/f', '1');
  await git.add('/home/user/repo');
  await git.commit('/home/user/repo', 'first');
  assert.equal((await git.status('/home/user/repo')).isClean, true);
  await git.createBranch('/home/user/repo', 'b');
  assert.ok((await git.branches('/home/user/repo')).branches.includes('b'));
});
await works('git: remoteAdd, push, clone, pull, with a git server in the sandbox', async () => {
  await commands.run('git init -q --bare /tmp/bare');
  const daemon = await commands.run('git daemon --reuseaddr --export-all --enable=receive-pack --base-path=/tmp --listen=127.0.0.1 --port=9418', { background: true, timeoutMs: 0 });
  await until('the daemon', async () => (await commands.run('git ls-remote git://127.0.0.1/bare 2>/dev/null && echo up || true')).stdout.endsWith('up\n'));
  await git.remoteAdd('/home/user/repo', 'origin', 'git://127.0.0.1/bare');
  await git.push('/home/user/repo', { remote: 'origin', branch: 'b', setUpstream: true });
  await git.clone('git://127.0.0.1/bare', { path: '/home/user/clone', branch: 'b' });
  await files.write('/home/user/repo/g', '2');
  await git.add('/home/user/repo');
  await git.commit('/home/user/repo', 'second');
  await git.push('/home/user/repo', { remote: 'origin', branch: 'b' });
  await git.pull('/home/user/clone');
  assert.equal(await files.read('/home/user/clone/g'), '2');
  assert.equal(await commands.kill(daemon.pid), true);
});
await works('sandbox.getHost: what listens is reached by its name', async () => {
  await files.write('/home/user/served/index.html', 'by its name');
  const server = await commands.run('python3 -m http.server 3000', { background: true, cwd: '/home/user/served', timeoutMs: 0 });
  await until('an answer', async () => (await (await fetched(box.getHost(3000), '/')).text()) === 'by its name');
  await commands.kill(server.pid);
});
await works('base: sudo, bash, python3, pip, git, node, npm, curl', async () => {
  const done = await commands.run('sudo -n true && bash --version && python3 --version && pip --version && git --version && node --version && npm --version && curl --version');
  assert.equal(done.exitCode, 0);
});
await works('commands.run, after pause and connect: processes go on', async () => {
  const ticker = await commands.run('for i in $(seq 600); do echo $i; sleep 0.1; done', { background: true, timeoutMs: 0 });
  await box.pause();
  const again = await Sandbox.connect(box.sandboxId);
  assert.ok((await again.commands.list()).some((p) => p.pid === ticker.pid));
  assert.equal(await again.commands.kill(ticker.pid), true);
});
await works('lifecycle.autoResume: a command wakes what is paused', async () => {
  const waking = await Sandbox.create('base', { timeoutMs: 60_000, lifecycle: { onTimeout: 'pause', autoResume: true } });
  await waking.files.write('/tmp/f', 'kept');
  await waking.pause();
  assert.equal((await waking.getInfo()).state, 'paused');
  assert.equal(await waking.files.read('/tmp/f'), 'kept');
  assert.equal((await waking.getInfo()).state, 'running');
  await waking.kill();
});
await works('Sandbox.create, secure false', async () => {
  const open = await Sandbox.create('base', { secure: false });
  assert.equal((await open.commands.run('echo hi')).stdout, 'hi\n');
  await open.kill();
});
await works('Template.setStartCmd, waitForURL: runs in each sandbox, and create waits for it', async () => {
  const name = `started-${Date.now()}-${process.pid}`;
  await Template.build(Template().fromTemplate('base').setStartCmd('python3 -m http.server 8000', waitForURL('http://127.0.0.1:8000')), name);
  const made = await Sandbox.create(name);
  assert.equal((await made.commands.run('curl -s -o /dev/null -w "%{http_code}" http://127.0.0.1:8000/')).stdout, '200');
  await made.kill();
});
const killed = async (says) => {
  const long = await commands.run('sleep 303', { background: true, timeoutMs: 0 });
  const ended = long.wait().then(() => { throw new Error('it ended well'); }, (error) => error);
  await box.kill();
  const error = await ended;
  assert.ok(error instanceof SandboxError, String(error));
  assert.match(error.message, says);
  assert.equal(await box.isRunning(), false);
};
await works('sandbox.kill, while a command runs', () => killed(/killed|end of life|timeout/i));
finish();
