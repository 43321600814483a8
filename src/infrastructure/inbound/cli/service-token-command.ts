import { createHash, randomBytes } from 'node:crypto';
import { type Command, Option } from 'commander';
import { answering } from './answering.js';
import { UsageError } from './failures.js';
import { SERVICE_ROLES, type ServiceRole } from '../../../config/service-roles.js';

export function addServiceTokenCommand(program: Command): void {
  const serviceToken = program.command('service-token').description('tokens of the services that call Latchkey');
  const create = serviceToken
    .command('create')
    .argument('<name>', 'what the record is to call the service')
    .description('make a token for a service, and the entry of SERVICE_TOKENS that lets it in; nothing is stored')
    .addOption(new Option('--role <role>').choices(SERVICE_ROLES).makeOptionMandatory());
  answering(create, async (name: string, { role }: { role: ServiceRole }) => {
    if (!/^[A-Za-z0-9._@-]{1,64}$/.test(name)) {
      throw new UsageError('the name must be 1 to 64 characters of [A-Za-z0-9._@-]');
    }
    const token = randomBytes(32).toString('hex');
    const entry = `${name}:${role}:${createHash('sha256').update(token).digest('hex')}`;
    return { document: { token, entry }, text: `token ${token}\nentry ${entry}` };
  });
}
