import { Command } from 'commander';
import { version } from '../../../config/shown/version.js';
import { addAccountCommands } from './accounts/account-commands.js';
import type { Databases } from './administration.js';
import { addAuditCommands } from './audit/audit-commands.js';
import { addEventsCommands } from './events/events-commands.js';
import { addKeyCommand } from './keys/key-command.js';
import { addKeysCommands } from './keys/keys-commands.js';
import { addMigrateCommand } from './migrate-command.js';
import { addServiceTokenCommand } from './service-token-command.js';

const EXIT_CODES = `
Exit codes: 0 done, 1 not done or a negative result, 2 wrong usage, 3 the database is not available.
The database is the one that DATABASE_URL names; the service need not run.`;

/** All that `latchkey` understands. Errors are thrown, for the caller to print. */
export function buildProgram(databases: Databases): Command {
  const program = new Command('latchkey')
    .description('Administers a Latchkey by its database')
    .version(version(), '-V, --version')
    .exitOverride()
    // Usage errors are thrown as well, so that they are printed once.
    .configureOutput({ outputError: () => undefined })
    .showHelpAfterError(false)
    .addHelpText('afterAll', EXIT_CODES);
  addMigrateCommand(program, databases);
  addAccountCommands(program, databases);
  addKeysCommands(program, databases);
  addAuditCommands(program, databases);
  addEventsCommands(program, databases);
  addKeyCommand(program);
  addServiceTokenCommand(program);
  return program;
}
