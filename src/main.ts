import { ConfigError, readConfig } from './config.js';
import { startLatchkey } from './latchkey.js';

process.title = 'latchkey';

try {
  const latchkey = await startLatchkey(readConfig(process.env));
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= latchkey.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  // A launcher that has died must not leave the service behind.
  process.on('disconnect', stop);
  process.send?.({ ready: true });
} catch (error) {
  fail(error);
}

/** What a person can mend is told in plain lines, one for each thing. */
function fail(error: unknown): never {
  const lines = error instanceof ConfigError ? error.problems : [(error as Error).message];
  for (const line of lines) process.stderr.write(`latchkey: ${line}\n`);
  process.exit(1);
}
