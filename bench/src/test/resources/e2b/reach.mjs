// SPDX-License-Identifier: Apache-2.0
// How a host of getHost is reached: by its name over TLS where there is a domain, else by that name at the router.
import http from 'node:http';
import https from 'node:https';
import WebSocket from 'ws';

const router = process.env.E2B_SANDBOX_URL ? new URL(process.env.E2B_SANDBOX_URL) : undefined;

/** Whether hosts of getHost are names with certificates. */
export const secured = !router;

/** Resolves when the head of the answer is there; `onData` gets its pieces as they come, `text()` is all of it. */
export const fetched = (host, path, { headers = {}, onData = () => {}, method = 'GET', body } = {}) => new Promise((resolve, reject) => {
  const options = router ? { host: router.hostname, port: router.port, path, method, headers: { ...headers, host } } : { host, port: 443, path, method, headers };
  (router ? http : https).request(options, (answer) => {
    const pieces = [];
    answer.on('data', (piece) => {
      pieces.push(piece);
      onData(piece);
    });
    const end = new Promise((done, failed) => answer.on('end', done).on('error', failed));
    resolve({ status: answer.statusCode, headers: answer.headers, text: async () => end.then(() => Buffer.concat(pieces).toString()) });
  }).on('error', reject).end(body);
});

/** A socket that is open. */
export const socket = (host, path, headers = {}) => new Promise((resolve, reject) => {
  const ws = router ? new WebSocket(`ws://${router.host}${path}`, { headers: { ...headers, host } }) : new WebSocket(`wss://${host}${path}`, { headers });
  ws.on('open', () => resolve(ws)).on('error', reject);
});
