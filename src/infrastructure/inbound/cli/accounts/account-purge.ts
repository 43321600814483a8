import type { Command } from 'commander';
import { accountIdProblem } from '../../../../domain/accounts/account.js';
import { requireFields } from '../../../../domain/errors.js';
import { atVersion } from './account-views.js';
import type { Databases } from '../administration.js';
import { answering } from '../answering.js';
import { administrator, byOption, onDatabase } from '../environment.js';

interface PurgeOptions {
  readonly atVersion?: bigint;
  readonly by?: string;
}

export function addPurgeCommand(account: Command, databases: Databases): void {
  const purge = account
    .command('purge')
    .argument('<id>')
    .description('revoke all its keys and forget the person; there is no way back, and its email is free')
    .addOption(atVersion())
    .addOption(byOption());
  answering(purge, async (id: string, { atVersion: version, by }: PurgeOptions) => {
    const admin = administrator(by);
    requireFields({ id: accountIdProblem(id) });
    const revokedKeys = await onDatabase(databases, ({ purgeAccount }) => purgeAccount.execute(id, version, admin));
    return { document: { id, revokedKeys }, text: `purged ${id}, keys revoked: ${revokedKeys}` };
  });
}
