import { ConfigError, readConfig } from './config.js';
import { startLatchkey, type Latchkey } from './latchkey.js';

process.title = 'latchkey';

let stopping: Promise<void> | undefined;
let starting: Promise<Latchkey> | undefined;
const stop = () => {
  // Whatever has begun to start is waited for: half a start leaves half a mess.
  stopping ??= Promise.resolve(starting)
    .then((latchkey) => latchkey?.stop())
    .then(() => process.exit(0), fail);
};
process.on('SIGTERM', stop).on('SIGINT', stop);
// A launcher that has died must not leave the service behind.
process.on('disconnect', stop);

try {
  starting = startLatchkey(readConfig(process.env));
  await starting;
  // The launcher may have died meanwhile; `disconnect` tells that.
  if (!stopping) process.send?.({ ready: true }, () => undefined);
} catch (error) {
  fail(error);
}

/** What a person can mend is told in plain lines, one for each thing. */
function fail(error: unknown): never {
  const lines = error instanceof ConfigError ? error.problems : [(error as Error).message];
  for (const line of lines) process.stderr.write(`latchkey: ${line}\n`);
  process.exit(1);
}
