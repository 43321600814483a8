import { createHash, randomBytes } from 'node:crypto';
import { Command, Option } from '@commander-js/extra-typings';
import { version } from '#config/config.js';
import { readDatabase } from '#config/database-config.js';
import { parseServiceTokens, roleText, SERVICE_ROLES } from '#config/service-roles.js';
import { addAccountCommands } from './accounts/account-commands.js';
import { type Databases, readSettings } from './administration.js';
import { addAuditCommands } from './audit/audit-commands.js';
import { addDoctorCommand } from './doctor-command.js';
import { addEventsCommands } from './events-commands.js';
import { addKeyCommand, addKeysCommands } from './keys/keys-commands.js';
import { answering, UsageError } from './answering.js';

const EXIT_CODES = `
Exit codes: 0 done, 1 not done or a negative result, 2 wrong usage, 3 the database is not available.
DATABASE_URL names the database. The service does not have to be running.`;

/** Errors are thrown, and the caller prints them. */
export function buildProgram(databases: Databases): Command {
  const program = new Command('latchkey')
    .description('Administers Latchkey through its database')
    .version(version(), '-V, --version')
    .exitOverride()
    // Usage errors are thrown as well, so that they are printed once.
    .configureOutput({ outputError: () => undefined })
    .addHelpText('afterAll', EXIT_CODES);
  addMigrateCommand(program, databases);
  addDoctorCommand(program, databases);
  addAccountCommands(program, databases);
  addKeysCommands(program, databases);
  addAuditCommands(program, databases);
  addEventsCommands(program, databases);
  addKeyCommand(program);
  addServiceTokenCommand(program);
  return program;
}

function addMigrateCommand(program: Command, databases: Databases): void {
  const migrate = program
    .command('migrate')
    .description('update the tables to this version, and list the migrations that ran');
  answering(migrate, async () => {
    const applied = await databases.migrate(readSettings(readDatabase), (line) =>
      process.stderr.write(`latchkey: ${line}\n`),
    );
    const text = applied.length > 0 ? `applied: ${applied.join(', ')}` : 'nothing to apply: the tables are up to date';
    return { document: { applied }, text };
  });
}

function addServiceTokenCommand(program: Command): void {
  const serviceToken = program.command('service-token').description('create tokens for services that call Latchkey');
  const create = serviceToken
    .command('create')
    .argument('<name>', 'the name of the service in the audit trail')
    .description('create a token for a service, and its entry for SERVICE_TOKENS; nothing is stored')
    .addOption(new Option('--role <role>', 'what the service may call').choices(SERVICE_ROLES).makeOptionMandatory())
    .option('--account <id>', "of the role issuer: the service account whose keys it makes, '*' for all of them");
  answering(create, async (name, { role, account: issuesFor }) => {
    if (!/^[A-Za-z0-9._@-]{1,64}$/.test(name)) {
      throw new UsageError('the name must be 1 to 64 characters of [A-Za-z0-9._@-]');
    }
    const token = randomBytes(32).toString('hex');
    const entry = `${name}:${roleText({ role, issuesFor })}:${createHash('sha256').update(token).digest('hex')}`;
    if ((role === 'issuer') !== (issuesFor !== undefined)) {
      throw new UsageError('--account belongs to --role issuer, which needs it');
    }
    try {
      parseServiceTokens(entry);
    } catch {
      throw new UsageError("--account must be the id of an account without colons, or '*'");
    }
    return { document: { token, entry }, text: `token ${token}\nentry ${entry}` };
  });
}
