// Runs the services that suites start: the build, started like src/main.ts, but with cheap passwords. Its modules are
// loaded once, where Jest would load them again for each suite. `POST /` with an environment starts a service and
// answers with its id; `DELETE /<id>` stops it.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import argon2 from 'argon2';
import { root } from '../../../scripts/lib/paths.mjs';
import { CHEAP_COST } from '../application/cheap.mjs';

/** @param {string} file */
const built = (file) => import(pathToFileURL(join(root, 'dist', file)).href);
const { readConfig } = await built('config/config.js');
const { startLatchkey } = await built('composition/start.js');
const { Argon2Passwords } = await built('infrastructure/outbound/passwords/argon2-passwords.js');

/** @type {Map<string, { stop(): Promise<void> }>} */
const running = new Map();
let started = 0;

/** @param {import('node:http').IncomingMessage} request */
async function handle(request) {
  if (request.method === 'POST') {
    const config = readConfig(JSON.parse(await text(request)));
    const id = String((started += 1));
    running.set(id, await startLatchkey(config, new Argon2Passwords(argon2, { cost: CHEAP_COST })));
    return id;
  }
  const id = request.url?.slice(1) ?? '';
  const service = running.get(id);
  running.delete(id);
  await service?.stop();
  return id;
}

const control = createServer((request, response) => {
  response.setHeader('connection', 'close');
  handle(request).then(
    (id) => response.end(id),
    (error) => response.writeHead(500).end(error.message),
  );
});
control.listen(Number(process.env['HOST_PORT']), '127.0.0.1', () => process.send?.({ ready: true }));

const end = () => Promise.all([...running.values()].map((service) => service.stop())).then(() => process.exit(0));
process.once('SIGTERM', end).once('disconnect', end);
