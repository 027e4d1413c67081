// SPDX-License-Identifier: Apache-2.0
// The table of calls: what each did is printed as one JSON line, for the test that runs this.
const lines = [];
let failed = 0;

function tell(call, outcome, note) {
  lines.push({ call, outcome, note });
  process.stdout.write(JSON.stringify({ call, outcome, note }) + '\n');
}

async function attempt(call, outcome, note, action, timeoutMs = 60_000) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`not done within ${timeoutMs} ms`)), timeoutMs); });
  try {
    await Promise.race([action(), late]);
    tell(call, outcome, note);
  } catch (error) {
    failed++;
    tell(call, 'fails', `${error?.name}: ${error?.message}\n${error?.stack}`);
  } finally {
    clearTimeout(timer);
  }
}

/** The call does what it does at the vendor's. */
export const works = (call, action) => attempt(call, 'works', '', action);

/** It does something else, and `action` shows that it does exactly what `how` says. */
export const differs = (call, how, action) => attempt(call, 'differs', how, action);

/** It is refused, by an error that says `says`. */
export const refused = (call, why, says, action) => attempt(call, 'not offered', why, async () => {
  let done = false;
  try {
    await action();
    done = true;
  } catch (error) {
    if (!String(error?.message).includes(says)) throw error;
  }
  if (done) throw new Error('was not refused');
});

/** Resolves to the error that the action throws, of that class. */
export async function thrown(type, action) {
  try {
    await action();
  } catch (error) {
    if (error instanceof type) return error;
    throw error;
  }
  throw new Error(`no ${type.name} was thrown`);
}

export function finish() {
  process.exit(failed ? 1 : 0);
}
