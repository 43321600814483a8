import { THE_SERVICE } from '../../domain/audit/audit-event.js';
import { OwnerKeys } from '../../domain/keys/owner-keys.js';
import type { NoticeReceivers } from '../../domain/notices/channel.js';
import { hasReceiver, idleSteps, type IdleStep } from '../../domain/notices/idle-keys.js';
import type { AccountTransaction } from '../account-transaction.js';
import type { Accounts, IdleKeys } from '../ports.js';
import { changeKeys } from './change-keys.js';

interface IdleSettings {
  /** Undefined: keys do not end because nobody uses them. */
  readonly afterDays: number | undefined;
  readonly receivers: NoticeReceivers;
}

/** What a run did. */
export type IdleCounts = Record<'notified' | 'ended', number>;

/** Owners in one statement. */
const PAGE = 500;
/** In one transaction, in which the owner is locked. The next run takes further ones. */
export const MOST_STEPS = 500;
/** A run that meets so many ends. Fewer, such as owners that others keep locked, do not affect the other owners. */
const MOST_FAILURES = 10;

/** What a run has done so far. */
interface Run {
  readonly counts: IdleCounts;
  readonly errors: unknown[];
}

/**
 * Notifies the owners of keys that nobody uses, and ends these keys after a week. Several instances may do so at once:
 * every decision is made again under the lock of the owner's account.
 */
export class RevokeIdleKeys {
  constructor(
    private readonly idleKeys: IdleKeys,
    private readonly accounts: Accounts,
    private readonly settings: IdleSettings,
  ) {}

  /** Looks at all open keys. */
  async find(): Promise<IdleCounts> {
    const { afterDays } = this.settings;
    const run = newRun();
    if (afterDays === undefined) return run.counts;
    let after: Awaited<ReturnType<IdleKeys['findUnused']>>['next'];
    do {
      // oxlint-disable-next-line no-await-in-loop
      const { ownerIds, next } = await this.idleKeys.findUnused(afterDays, after);
      // oxlint-disable-next-line no-await-in-loop
      await this.decideAll(ownerIds, afterDays, run);
      after = next;
    } while (after);
    return countsOf(run);
  }

  /** Looks at the keys whose owners were notified. */
  async check(): Promise<IdleCounts> {
    const { afterDays } = this.settings;
    const run = newRun();
    if (afterDays === undefined) return run.counts;
    let ownerIds: readonly string[] = [];
    do {
      // oxlint-disable-next-line no-await-in-loop
      ownerIds = await this.idleKeys.findNoticed(ownerIds.at(-1), PAGE);
      // oxlint-disable-next-line no-await-in-loop
      await this.decideAll(ownerIds, afterDays, run);
    } while (ownerIds.length === PAGE);
    return countsOf(run);
  }

  private async decideAll(ownerIds: readonly string[], afterDays: number, { counts, errors }: Run): Promise<void> {
    for (const ownerId of ownerIds) {
      try {
        // oxlint-disable-next-line no-await-in-loop
        await this.decide(ownerId, afterDays, counts);
      } catch (error) {
        errors.push(error);
        if (errors.length === MOST_FAILURES) throw errors[0];
      }
    }
  }

  private async decide(ownerId: string, afterDays: number, counts: IdleCounts): Promise<void> {
    const managers = await this.managersOf(ownerId);
    await this.accounts.transaction(ownerId, async (transaction) => {
      const { account: owner, now } = transaction;
      if (!owner) return;
      const open = await transaction.openKeys();
      const [lastUses, notices] = [await transaction.lastUses(), await transaction.idleNotices()];
      const uses = open.map((key) => ({ key, lastUsedAt: lastUses.get(key.id) }));
      const rule = { afterDays, hasReceiver: hasReceiver(this.settings.receivers, owner, managers) };
      const steps = idleSteps({ owner, keys: uses, notices }, rule, now).slice(0, MOST_STEPS);
      for (const step of steps) await note(transaction, step);
      const ending = steps.flatMap((step) => (step.step === 'end' ? step.ending : []));
      const keys = new OwnerKeys(open);
      const revoke = () => ending.forEach(({ id }) => keys.revoke(id, 'idle', now));
      if (ending.length > 0) await changeKeys(transaction, { keys, actor: THE_SERVICE }, revoke);
      counts.notified += steps.filter(({ step }) => step === 'notify').length;
      counts.ended += ending.length;
    });
  }

  /** They are read before the owner is locked, because nobody else decides by them. */
  private async managersOf(ownerId: string) {
    const owner = await this.accounts.find(ownerId);
    const found = await Promise.all((owner?.managers ?? []).map((id) => this.accounts.find(id)));
    return found.filter((person) => person !== undefined);
  }
}

function newRun(): Run {
  return { counts: { notified: 0, ended: 0 }, errors: [] };
}

/** Throws the first error, once everything else is done. */
function countsOf({ counts, errors }: Run): IdleCounts {
  if (errors.length > 0) throw errors[0];
  return counts;
}

async function note(transaction: AccountTransaction, step: IdleStep): Promise<void> {
  if (step.step === 'found-idle') return transaction.saveIdleNotice(step.keyId, step.notice);
  if (step.step !== 'notify') return transaction.saveIdleNotice(step.keyId, undefined);
  const { key, replaced, endsAt } = step;
  const replaces = replaced && { replacesKeyId: replaced.id };
  await transaction.saveIdleNotice(key.id, { writtenAt: transaction.now, foundIdleAt: null });
  await transaction.notify({ type: 'api_key.idle', key, endsAt, ...replaces });
}
