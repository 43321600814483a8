// Runs commands of the built `latchkey` in this process, which loads their modules once. The parent sends the
// arguments, the environment and the input of one command, and waits for its exit code and output before it sends the
// next.
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const [, , program = ''] = process.argv;
const { href } = pathToFileURL(program);
let runs = 0;

process.on('message', (order) => runCommand(/** @type {import('./shell.js').Order} */ (order)));

/** @param {import('./shell.js').Order} order */
async function runCommand({ args, env, input }) {
  const printed = { out: '', err: '' };
  replace('stdin', Readable.from([Buffer.from(input)]));
  replace('stdout', new Writable({ write: (chunk, _, done) => done(void (printed.out += String(chunk))) }));
  replace('stderr', new Writable({ write: (chunk, _, done) => done(void (printed.err += String(chunk))) }));
  replace('env', { ...env });
  process.argv = [process.execPath, program, ...args];
  process.exitCode = undefined;
  // Only the program itself is evaluated again, not what it imports.
  await import(`${href}?run=${(runs += 1)}`);
  process.send?.({ code: process.exitCode ?? 0, ...printed });
}

/**
 * @param {'stdin' | 'stdout' | 'stderr' | 'env'} name
 * @param {unknown} value
 */
function replace(name, value) {
  Object.defineProperty(process, name, { value, configurable: true });
}
