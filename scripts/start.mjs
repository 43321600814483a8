// `npm start`: starts Latchkey from a fresh clone, and stops it in order.
import './lib/node-version.mjs';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startEmbeddedPostgres } from './embedded-postgres.mjs';
import { whenNpmEnds } from './lib/launcher.mjs';
import { acquireLock } from './lib/lock.mjs';
import { root } from './lib/paths.mjs';
import { planFrom } from './lib/plan.mjs';
import { assertPortsFree } from './lib/ports.mjs';
import { step } from './lib/run.mjs';
import { readableLog } from './lib/readable-log.mjs';
import { startService } from './lib/service.mjs';
import { main, Stop } from './lib/stop.mjs';
import { welcome } from './lib/welcome.mjs';

const began = performance.now();
/** The steps of the stop, the last one first. @type {(() => Promise<unknown> | void)[]} */
const undo = [];
let stopping = false;

async function stopAll() {
  for (let last = undo.pop(); last; last = undo.pop()) {
    try {
      await last();
    } catch (error) {
      // The other steps must still run.
      console.error(error);
    }
  }
}

// Signals, the end of npm, and the end of the channel if a process started us with one (the specs do).
for (const ending of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) process.on(ending, stop);
whenNpmEnds(stop);

function stop() {
  // npm forwards a Ctrl+C that the terminal has already sent us. The second one changes nothing.
  if (stopping) return;
  stopping = true;
  void stopAll().finally(() => {
    if (process.stdout.isTTY) console.log('Everything is stopped.');
    process.exit(0);
  });
}

await main(async () => {
  try {
    await start();
  } catch (error) {
    // During a stop, every unfinished step fails. Such an error needs no message.
    if (stopping) return new Promise(() => {});
    stopping = true;
    await stopAll();
    throw error;
  }
});

async function start() {
  if (existsSync(join(root, '.env'))) process.loadEnvFile(join(root, '.env'));
  const dataDir = process.env['DATA_DIR'];
  const lock = await acquireLock(`start ${dataDir ? resolve(dataDir) : root}`);
  if (!lock) throw new Stop(`Latchkey is already running from ${dataDir || root}.`);
  const plan = planFrom(process.env);
  await assertPortsFree(plan.host, { ...plan.ports });
  await prepare();

  const print = await readableLog();
  const database = plan.embedded ? await startDatabase() : undefined;
  const databaseEnv = database ? { DATABASE_URL: database.url } : {};
  const service = await startPart('Latchkey', 'dist/main.js', { ...plan.serviceEnv, ...databaseEnv }, print);
  const systemsApi = plan.demo
    ? await startPart('The systems API', 'examples/systems-api/dist/main.js', plan.systemsApiEnv, print)
    : undefined;
  if (stopping) return;
  console.log(welcome(plan, database?.folder, (performance.now() - began) / 1000));

  throw new Stop(
    await Promise.race([
      service.exited.then((how) => `Latchkey ended (${how}): everything is stopped.`),
      ...(systemsApi
        ? [systemsApi.exited.then((how) => `The systems API ended (${how}): everything is stopped.`)]
        : []),
      ...(database ? [database.exited.then(() => 'PostgreSQL ended: everything is stopped.')] : []),
    ]),
  );
}

/** Installs and builds; a start with another data folder waits for it. */
async function prepare() {
  let lock = await acquireLock(`prepare ${root}`);
  while (!lock) {
    await setTimeout(100);
    lock = await acquireLock(`prepare ${root}`);
  }
  await take('scripts/install.mjs');
  await take('scripts/build.mjs');
  await lock.release();
}

/** @param {string} script */
async function take(script) {
  const { child, code } = step(script);
  undo.push(() => {
    if (child.connected) child.disconnect();
  });
  if ((await code) !== 0) {
    // The step has printed the reason.
    if (!stopping) process.exit(1);
    throw new Stop('');
  }
}

async function startDatabase() {
  const starting = startEmbeddedPostgres({ dataDir: process.env['DATA_DIR'] || undefined });
  undo.push(() =>
    starting.then(
      (database) => database.stop(),
      () => {},
    ),
  );
  return starting;
}

/**
 * @param {string} name
 * @param {string} script
 * @param {NodeJS.ProcessEnv} env
 * @param {Awaited<ReturnType<typeof readableLog>>} print
 */
async function startPart(name, script, env, print) {
  // A signal came while the database was starting: no further part is started.
  if (stopping) throw new Stop('');
  const part = startService(script, env, print);
  undo.push(part.stop);
  if (!(await part.ready)) throw new Stop(`${name} ended before it was ready (${await part.exited}).`);
  return part;
}
