// `npm start`: starts Latchkey from a fresh clone, and stops it in order.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startEmbeddedPostgres } from './embedded-postgres.mjs';
import { acquireLock } from './lib/lock.mjs';
import { root } from './lib/paths.mjs';
import { planFrom } from './lib/plan.mjs';
import { assertPortsFree } from './lib/ports.mjs';
import { step } from './lib/run.mjs';
import { startService } from './lib/service.mjs';
import { main, Stop } from './lib/stop.mjs';
import { until } from './lib/wait.mjs';
import { welcome } from './lib/welcome.mjs';

const began = performance.now();
/** The steps of the stop, the last one first. @type {(() => Promise<unknown>)[]} */
const undo = [];
/** How each part ends, once it does. @type {Promise<string>[]} */
const ends = [];
let stopping = false;

// The channel exists if a process started us with one (the specs do).
for (const ending of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) process.on(ending, stop);
// npm does not always notify its script when it is killed. Our parent is npm itself, because package.json says `exec`.
const parent = process.ppid;
if (process.env['npm_lifecycle_event']) setInterval(() => process.ppid !== parent && stop(), 250).unref();

function stop() {
  // npm forwards a Ctrl+C that the terminal has already sent us. The second one changes nothing.
  if (stopping) return;
  stopping = true;
  void stopAll().finally(() => {
    if (process.stdout.isTTY) console.log('Everything is stopped.');
    process.exit(0);
  });
}

async function stopAll() {
  for (const last of undo.reverse()) {
    // The other steps must still run.
    await last().catch(console.error);
  }
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
  const database = plan.embedded ? await startDatabase(dataDir) : undefined;
  const env = { ...plan.serviceEnv, ...(database && { DATABASE_URL: database.url }) };
  await startPart('Latchkey', 'dist/main.js', env, print);
  if (plan.demo) await startPart('The systems API', 'examples/systems-api/dist/main.js', plan.systemsApiEnv, print);
  if (stopping) return;
  console.log(welcome(plan, database?.folder, (performance.now() - began) / 1000));
  throw new Stop(`${await Promise.race(ends)}: everything is stopped.`);
}

/** Installs and builds; a start with another data folder waits for it. */
async function prepare() {
  const lock = await until(() => acquireLock(`prepare ${root}`), Infinity, 100);
  await step('scripts/install.mjs');
  await step('scripts/build.mjs');
  await lock?.release();
}

/** @param {string | undefined} dataDir */
async function startDatabase(dataDir) {
  const starting = startEmbeddedPostgres({ dataDir });
  undo.push(async () => (await starting.catch(() => undefined))?.stop());
  const database = await starting;
  ends.push(database.exited.then(() => 'PostgreSQL ended'));
  return database;
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
  ends.push(part.exited.then((how) => `${name} ended (${how})`));
  if (!(await part.ready)) throw new Stop(`${name} ended before it was ready (${await part.exited}).`);
}

/** Prints the JSON lines of the parts for a person, if one watches: on a terminal, and not in production. */
async function readableLog() {
  if (!process.stdout.isTTY || process.env['NODE_ENV'] === 'production') return undefined;
  // Imported only now, because npm start installs it first.
  const { default: pretty } = await import('pino-pretty');
  const options = { translateTime: 'SYS:HH:MM:ss', ignore: 'pid', singleLine: true, sync: true };
  return (/** @type {import('node:stream').Readable} */ lines) => lines.pipe(pretty(options));
}
