import type { Command } from 'commander';
import { answering } from './answering.js';
import { databaseUrl } from './environment.js';

export function addMigrateCommand(program: Command): void {
  const migrate = program
    .command('migrate')
    .description('bring the tables up to this version, beside no other instance, and tell what was applied');
  answering(migrate, async () => {
    const url = databaseUrl();
    const { migrateDatabase } = await import('../../outbound/postgres/connection/open-database.js');
    const applied = await migrateDatabase(url);
    const text = applied.length > 0 ? `applied: ${applied.join(', ')}` : 'nothing to apply: the tables are up to date';
    return { document: { applied }, text };
  });
}
