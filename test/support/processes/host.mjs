// Runs what suites start: services, which are the build, started like src/main.ts, but with cheap passwords, or commands
// of the built `latchkey`. Modules are loaded once, where Jest would load them again for each suite. `POST /services` with
// an environment starts a service and answers with its id; `DELETE /<id>` stops it. `POST /commands` runs a command.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import argon2 from 'argon2';
import { root } from '../../../scripts/lib/paths.mjs';
import { CHEAP_COST } from '../application/cheap.mjs';

const dist = pathToFileURL(join(root, 'dist')).href;
/** @param {string} file */
const built = (file) => import(`${dist}/${file}`);
const { readConfig } = await built('config/config.js');
const { startLatchkey } = await built('composition/start.js');
const { Argon2Passwords } = await built('infrastructure/outbound/passwords/argon2-passwords.js');

/** @type {Map<string, { stop(): Promise<void> }>} */
const running = new Map();
let started = 0;
/** Only one command runs at a time. @type {Promise<unknown>} */
let last = Promise.resolve();

/** @param {import('node:http').IncomingMessage} request */
async function handle(request) {
  const id = String(request.method === 'POST' ? (started += 1) : request.url?.slice(1));
  if (request.url === '/services') {
    const config = readConfig(/** @type {NodeJS.ProcessEnv} */ (await json(request)));
    running.set(id, await startLatchkey(config, new Argon2Passwords(argon2, { cost: CHEAP_COST })));
    return id;
  }
  if (request.url === '/commands') {
    const order = /** @type {import('./shell.js').Order} */ (await json(request));
    const end = last.then(() => runCommand(id, order));
    last = end.catch(() => undefined);
    return JSON.stringify(await end);
  }
  const service = running.get(id);
  running.delete(id);
  await service?.stop();
  return id;
}

/**
 * @param {string} id
 * @param {import('./shell.js').Order} order
 */
async function runCommand(id, { args, env, input }) {
  const printed = { out: '', err: '' };
  /** @type {(name: 'out' | 'err') => Writable} */
  const to = (name) => new Writable({ write: (chunk, _, done) => done(void (printed[name] += String(chunk))) });
  const given = { stdin: Readable.from([Buffer.from(input)]), stdout: to('out'), stderr: to('err'), env };
  for (const [name, value] of Object.entries(given))
    Object.defineProperty(process, name, { value, configurable: true });
  process.argv = [process.execPath, 'latchkey', ...args];
  process.exitCode = undefined;
  // Only the program itself is evaluated again, not what it imports.
  await built(`composition/cli.js?run=${id}`);
  return { code: process.exitCode ?? 0, ...printed };
}

const control = createServer((request, response) => {
  response.setHeader('connection', 'close');
  handle(request).then(
    (answer) => response.end(answer),
    (error) => response.writeHead(500).end(error.message),
  );
});
control.listen(Number(process.env['HOST_PORT']), '127.0.0.1', () => process.send?.({ ready: true }));

const end = () => Promise.all([...running.values()].map((service) => service.stop())).then(() => process.exit(0));
process.once('SIGTERM', end).once('disconnect', end);
