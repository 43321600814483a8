import type { Command } from 'commander';
import { addChangeCommand } from './change-command.js';
import type { Databases } from '../administration.js';

export function addPurgeCommand(account: Command, databases: Databases): void {
  addChangeCommand(
    account,
    databases,
    {
      name: 'purge',
      description: 'revoke all its keys and forget the person; there is no way back, and its email is free',
      work: ({ purgeAccount }, id, version, admin) => purgeAccount.execute(id, version, admin),
    },
    (revokedKeys, id) => ({ document: { id, revokedKeys }, text: `purged ${id}, keys revoked: ${revokedKeys}` }),
  );
}
