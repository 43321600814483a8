import { THE_SERVICE } from '#domain/audit/audit-event.js';
import { OwnerKeys } from '#domain/keys/owner-keys.js';
import type { NoticeReceivers } from '#domain/notices/key-notice.js';
import { hasReceiver, idleSteps, type IdleStep } from '#domain/notices/idle-keys.js';
import type { AccountLocks, IdleKeyChanges, Accounts } from '../account-ports.js';
import type { IdleKeys } from '../key-ports.js';
import { changeKeys } from './change-keys.js';

interface IdleSettings {
  /** Undefined: keys do not end because nobody uses them. */
  readonly afterDays: number | undefined;
  readonly receivers: NoticeReceivers;
}

export type IdleCounts = Record<'notified' | 'ended', number>;

/** In one transaction, in which the owner is locked. The next run takes further ones. */
export const MAX_STEPS = 500;
/** A run that meets so many ends. Fewer, such as owners that others keep locked, do not affect the other owners. */
const MAX_FAILURES = 10;

/**
 * Notifies the owners of keys that nobody uses, and ends these keys after a week. Several instances may do so at once:
 * every decision is made again under the lock of the owner's account.
 */
export class RevokeIdleKeys {
  constructor(
    private readonly idleKeys: IdleKeys,
    private readonly accounts: Pick<Accounts, 'find'> & AccountLocks<IdleKeyChanges>,
    private readonly settings: IdleSettings,
  ) {}

  /** Looks at all open keys. */
  find(): Promise<IdleCounts> {
    return this.decideAll((afterDays) => this.idleKeys.unused(afterDays));
  }

  /** Looks at the keys whose owners were notified. */
  check(): Promise<IdleCounts> {
    return this.decideAll(() => this.idleKeys.noticed());
  }

  /** Throws the first error, once everything else is done. */
  private async decideAll(ownersOf: (afterDays: number) => AsyncIterable<string>): Promise<IdleCounts> {
    const { afterDays } = this.settings;
    const counts = { notified: 0, ended: 0 };
    const errors: unknown[] = [];
    if (afterDays === undefined) return counts;
    for await (const ownerId of ownersOf(afterDays)) {
      try {
        await this.decide(ownerId, afterDays, counts);
      } catch (error) {
        errors.push(error);
        if (errors.length === MAX_FAILURES) throw errors[0];
      }
    }
    if (errors.length > 0) throw errors[0];
    return counts;
  }

  private async decide(ownerId: string, afterDays: number, counts: IdleCounts): Promise<void> {
    // Managers are read before the owner is locked, because nobody else decides by them.
    const ids = (await this.accounts.find(ownerId))?.managers ?? [];
    const managers = (await Promise.all(ids.map((id) => this.accounts.find(id)))).filter((each) => each !== undefined);
    await this.accounts.transaction(ownerId, async (transaction) => {
      const { account: owner, now } = transaction;
      if (!owner) return;
      const open = await transaction.openKeys();
      const [lastUses, notices] = [await transaction.lastUses(), await transaction.idleNotices()];
      const uses = open.map((key) => ({ key, lastUsedAt: lastUses.get(key.id) }));
      const rule = { afterDays, hasReceiver: hasReceiver(this.settings.receivers, owner, managers) };
      const steps = idleSteps({ owner, keys: uses, notices }, rule, now).slice(0, MAX_STEPS);
      for (const step of steps) await note(transaction, step);
      const ending = steps.flatMap((step) => (step.step === 'end' ? step.ending : []));
      const keys = new OwnerKeys(open);
      const revoke = () => ending.forEach(({ id }) => keys.revoke(id, 'idle', now));
      if (ending.length > 0) await changeKeys(transaction, { keys, actor: THE_SERVICE }, revoke);
      counts.notified += steps.filter(({ step }) => step === 'notify').length;
      counts.ended += ending.length;
    });
  }
}

async function note(transaction: IdleKeyChanges, step: IdleStep): Promise<void> {
  if (step.step === 'found-idle') return transaction.saveIdleNotice(step.keyId, step.notice);
  if (step.step !== 'notify') return transaction.saveIdleNotice(step.keyId, undefined);
  const { key, replaced, endsAt } = step;
  const replaces = replaced && { replacesKeyId: replaced.id };
  await transaction.saveIdleNotice(key.id, { writtenAt: transaction.now, foundIdleAt: null });
  await transaction.notify({ type: 'api_key.idle', key, endsAt, ...replaces });
}
