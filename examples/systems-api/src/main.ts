import { run } from './run.js';

try {
  console.log(`systems-api listens on ${await run(process)}`);
} catch (error) {
  const lines = error instanceof Error ? error.message.split('\n') : [String(error)];
  for (const line of lines) console.error(`systems-api: ${line}`);
  process.exit(1);
}
