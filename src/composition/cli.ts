#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { CommanderError } from '@commander-js/extra-typings';
import { readMarkers } from '#config/config.js';
import { Settings } from '#config/settings.js';
import { alsoHide, withoutSecrets } from '#domain/secrets.js';
import { exitCodeOf, linesOf, USAGE } from '#infrastructure/inbound/cli/answering.js';
import { buildProgram } from '#infrastructure/inbound/cli/program.js';
import { databases } from './databases.js';

// The reader of our output may stop early: `latchkey audit export | head`.
process.stdout.on('error', () => process.exit(1));

try {
  alsoHide(readMarkers(new Settings(process.env)).importPrefixes);
  const words = process.argv.slice(2);
  // The name of a file to import may begin as its keys do.
  if (words.some((word) => withoutSecrets(word) !== word && !existsSync(word))) {
    throw new CommanderError(USAGE, '', 'others can see a key on the command line: pass it on stdin');
  }
  await buildProgram(databases).parseAsync(words, { from: 'user' });
} catch (error) {
  for (const line of linesOf(error)) process.stderr.write(`latchkey: ${line}\n`);
  process.exitCode = exitCodeOf(error);
}
