import type { Command } from 'commander';
import type { Databases } from './administration.js';
import { answering } from './answering.js';
import { database } from './environment.js';

export function addMigrateCommand(program: Command, databases: Databases): void {
  const migrate = program
    .command('migrate')
    .description('bring the tables up to this version, while no other instance does, and print what was applied');
  answering(migrate, async () => {
    const applied = await databases.migrate(database());
    const text = applied.length > 0 ? `applied: ${applied.join(', ')}` : 'nothing to apply: the tables are up to date';
    return { document: { applied }, text };
  });
}
