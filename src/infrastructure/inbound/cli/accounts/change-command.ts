import type { Command } from 'commander';
import { accountIdProblem } from '../../../../domain/accounts/account.js';
import type { Administrator } from '../../../../domain/audit/audit-event.js';
import { requireFields } from '../../../../domain/errors.js';
import { atVersion } from './account-views.js';
import type { Administration, Databases } from '../administration.js';
import { answering, type Answer } from '../answering.js';
import { administrator, byOption, onDatabase } from '../environment.js';

export interface ChangeOptions {
  readonly atVersion?: bigint;
  readonly by?: string;
}

/** @param version the platform's number for this change; undefined when the administrator gave none */
export type Change<T> = (
  administration: Administration,
  id: string,
  version: bigint | undefined,
  admin: Administrator,
) => Promise<T>;

/** Adds to `account` a command that changes one account. The audit trail names the administrator as the actor. */
export function addChangeCommand<T>(
  account: Command,
  databases: Databases,
  { name, description, work }: { name: string; description: string; work: Change<T> },
  describe: (outcome: T, id: string) => Answer,
): void {
  const command = account.command(name).argument('<id>').description(description);
  answering(
    command.addOption(atVersion()).addOption(byOption()),
    async (id: string, { atVersion: version, by }: ChangeOptions) => {
      const admin = administrator(by);
      requireFields({ id: accountIdProblem(id) });
      return describe(await onDatabase(databases, (administration) => work(administration, id, version, admin)), id);
    },
  );
}
