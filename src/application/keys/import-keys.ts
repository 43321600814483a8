import { randomUUID } from 'node:crypto';
import type { Actor } from '#domain/audit/audit-event.js';
import { invalidFields, LatchkeyError } from '#domain/errors.js';
import { ApiKey } from '#domain/keys/api-key.js';
import {
  type ImportedLine,
  importedPart,
  importOrder,
  type ImportRules,
  requireImportable,
} from '#domain/keys/imported-key.js';
import { isProof } from '#domain/keys/key-restrictions.js';
import { keyPolicy } from '#domain/keys/key-policy.js';
import { OwnerKeys } from '#domain/keys/owner-keys.js';
import type { AccountLocks, KeyMaking } from '../account-ports.js';
import { atOnce } from '../with-transactions.js';
import { saveKeys } from './change-keys.js';

export type ImportOutcome =
  | {
      readonly keyId: string;
      /** False: it was imported before. */
      readonly isNew: boolean;
      /** Of a new key whose owner now has more keys than allowed. */
      readonly aboveLimit?: { readonly activeKeys: number; readonly maxActiveKeys: number };
    }
  | RefusedLine;

interface RefusedLine {
  readonly refused: LatchkeyError;
}

/** How many lines are worth one call of ImportKeys. */
export const IMPORTED_AT_ONCE = 500;

/** The owners whose keys are stored at the same time. Each takes a connection. */
const OWNERS_AT_ONCE = 4;

/** Brings keys along that other systems made. Their holders keep using them. */
export class ImportKeys {
  private last: Promise<unknown> = Promise.resolve();
  /** How many keys of each owner a dry run would have imported. */
  private readonly rehearsed = new Map<string, number>();

  /** @param isRehearsal whether the transactions store nothing */
  constructor(
    private readonly accounts: AccountLocks<KeyMaking>,
    private readonly rules: ImportRules & { readonly marker: string },
    private readonly isRehearsal: boolean,
  ) {}

  /** In the order of the lines. A refused line affects no other. After an error, all lines may be sent again. */
  execute(lines: readonly ImportedLine[], actor: Actor): Promise<ImportOutcome[]> {
    // One after the other: many at once would take all connections, and everybody else would wait.
    const turn = this.last.then(() => this.importAll(lines, actor));
    this.last = turn.catch(() => undefined);
    return turn;
  }

  private async importAll(lines: readonly ImportedLine[], actor: Actor): Promise<ImportOutcome[]> {
    const outcomes: ImportOutcome[] = [];
    const byOwner = new Map<string, number[]>();
    for (const [index, line] of lines.entries()) {
      const refused = orRefusal(() => void requireImportable(line, this.rules));
      if (refused) outcomes[index] = refused;
      else byOwner.set(line.ownerId, [...(byOwner.get(line.ownerId) ?? []), index]);
    }
    await atOnce(OWNERS_AT_ONCE, byOwner, async ([ownerId, indexes]) => {
      const own = indexes.map((index) => lines[index]!);
      for (const [n, outcome] of (await this.importOf(ownerId, own, actor)).entries()) outcomes[indexes[n]!] = outcome;
    });
    return outcomes;
  }

  private async importOf(ownerId: string, lines: readonly ImportedLine[], actor: Actor): Promise<ImportOutcome[]> {
    const outcomes = await this.accounts.transaction(ownerId, async (transaction) => {
      const keys = new OwnerKeys(await transaction.openKeys());
      const parts = lines.map(({ sha256 }) => importedPart(sha256));
      const known = new Map<string, ApiKey>();
      for (const key of await transaction.findByPublicParts(parts)) known.set(key.snapshot().publicPart, key);
      const activeBefore = keys.countActive(transaction.now) + (this.rehearsed.get(ownerId) ?? 0);
      const importing = { transaction, known, activeBefore, made: new Map<string, ApiKey>() };
      const imported = lines.map((line) => orRefusal(() => this.import(line, importing)));
      // In one order: an import for another owner may be adding the same keys, and each would wait for the other.
      for (const [, key] of [...importing.made].sort(([one], [other]) => (one < other ? -1 : 1))) keys.addImported(key);
      await saveKeys(transaction, { keys, actor });
      return imported;
    });
    const count = outcomes.filter((outcome) => 'isNew' in outcome && outcome.isNew).length;
    if (this.isRehearsal) this.rehearsed.set(ownerId, (this.rehearsed.get(ownerId) ?? 0) + count);
    return outcomes;
  }

  private import(line: ImportedLine, { transaction, known, activeBefore, made }: Importing): ImportOutcome {
    const publicPart = importedPart(line.sha256);
    const before = known.get(publicPart) ?? made.get(publicPart);
    if (before) {
      const isSame = before.ownerId === line.ownerId && isProof(line.sha256, before.snapshot());
      if (!isSame) throw invalidFields([{ field: 'sha256', message: 'belongs to a key of another owner' }]);
      return { keyId: before.id, isNew: false };
    }
    const { account: owner, now } = transaction;
    if (!owner || owner.status === 'deleted')
      throw new LatchkeyError('account_not_found', 'no account has this owner_id');
    const order = importOrder(line, owner, { ...this.rules, now });
    const key = ApiKey.import({ ...order, id: randomUUID() }, this.rules.marker, now);
    made.set(publicPart, key);
    const activeKeys = activeBefore + made.size;
    const { maxActiveKeys } = keyPolicy(this.rules.policy, owner);
    return {
      keyId: key.id,
      isNew: true,
      ...(activeKeys > maxActiveKeys && { aboveLimit: { activeKeys, maxActiveKeys } }),
    };
  }
}

interface Importing {
  readonly transaction: KeyMaking;
  readonly activeBefore: number;
  /** The stored keys, by public part. */
  readonly known: ReadonlyMap<string, ApiKey>;
  /** The keys of earlier lines, by public part. */
  readonly made: Map<string, ApiKey>;
}

function orRefusal<T>(work: () => T): T | RefusedLine {
  try {
    return work();
  } catch (error) {
    if (error instanceof LatchkeyError) return { refused: error };
    throw error;
  }
}
