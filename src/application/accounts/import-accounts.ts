import type { Actor } from '../../domain/audit/audit-event.js';
import { LatchkeyError } from '../../domain/errors.js';
import type { PutAccount, PutAccountCommand } from './put-account.js';

/** What a line did to the account, or why it is refused. */
export type AccountOutcome =
  | { readonly became: 'opened' | 'changed' | 'unchanged' }
  | { readonly refused: LatchkeyError };

/** How many lines are worth one call of ImportAccounts. */
export const ACCOUNTS_AT_ONCE = 500;
const IN_FLIGHT = 32;

/** Opens and changes many accounts, each as PutAccount does. */
export class ImportAccounts {
  /** Persons that a dry run would have opened. */
  private readonly rehearsed = new Set<string>();

  /** @param isRehearsal whether `putAccount` stores nothing, so that no manager of an earlier line is stored */
  constructor(
    private readonly putAccount: PutAccount,
    private readonly isRehearsal: boolean,
  ) {}

  /**
   * Returns the outcome of each line, in their order. No two lines may have the same id. A refused line does not affect the
   * others. Throws `unavailable` and `busy`: then some lines may have been stored, and all may be sent again.
   */
  async execute(lines: readonly PutAccountCommand[], actor: Actor): Promise<AccountOutcome[]> {
    const outcomes: AccountOutcome[] = [];
    const waiting = lines.entries();
    const work = async () => {
      // oxlint-disable-next-line no-await-in-loop
      for (const [index, line] of waiting) outcomes[index] = await this.put(line, actor);
    };
    const works = await Promise.allSettled(Array.from({ length: IN_FLIGHT }, work));
    const failed = works.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
    return outcomes;
  }

  private async put(line: PutAccountCommand, actor: Actor): Promise<AccountOutcome> {
    try {
      const account = await this.putAccount.execute(line, actor, this.rehearsed);
      if (this.isRehearsal && account.kind === 'person') this.rehearsed.add(account.id);
      const { changes } = account;
      if (changes.length === 0) return { became: 'unchanged' };
      return { became: changes.some(({ became }) => became === 'created') ? 'opened' : 'changed' };
    } catch (error) {
      const isRefusal = error instanceof LatchkeyError && error.code !== 'unavailable' && error.code !== 'busy';
      if (isRefusal) return { refused: error };
      throw error;
    }
  }
}
