import { run } from './run.js';

try {
  const url = await run(process);
  // A launcher says itself what it has started.
  if (!process.send) console.log(`systems-api listens on ${url}`);
} catch (error) {
  const lines = error instanceof Error ? error.message.split('\n') : [String(error)];
  for (const line of lines) console.error(`systems-api: ${line}`);
  process.exit(1);
}
