// SPDX-License-Identifier: Apache-2.0
// Milliseconds of a create and a first command, for each line that comes, by the JavaScript SDK: node speed.mjs PACKAGE. Measured by `redoma bench e2b`.
import { createInterface } from 'node:readline';

const { Sandbox } = await import(process.argv[2]);
for await (const _ of createInterface({ input: process.stdin })) {
  const start = performance.now();
  const box = await Sandbox.create('sdk');
  const done = await box.commands.run('echo x');
  const took = performance.now() - start;
  if (done.stdout !== 'x\n') throw new Error(`it printed ${JSON.stringify(done.stdout)}`);
  await box.kill();
  console.log(`took ${took}`);
}
