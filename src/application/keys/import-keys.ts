import { randomUUID } from 'node:crypto';
import type { Actor } from '#domain/audit/audit-event.js';
import { invalidFields, LatchkeyError } from '#domain/errors.js';
import { ApiKey } from '#domain/keys/api-key.js';
import { ImportedKey } from '#domain/keys/imported-key.js';
import { isProof } from '#domain/keys/key-restrictions.js';
import { keyPolicy } from '#domain/keys/key-policy.js';
import { type ImportedLine, importOrder, type ImportRules, requireImportable } from '#domain/keys/key-import.js';
import { noticesOfChange } from '#domain/notices/notices-of-change.js';
import type { ImportTransaction, KeyImports } from '../key-ports.js';
import { eventOf } from './change-keys.js';

/** The key, or why the line is refused. */
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

/** Brings keys along that other systems made. Their holders keep using them. */
export class ImportKeys {
  constructor(
    private readonly imports: KeyImports,
    private readonly rules: ImportRules & { readonly marker: string },
  ) {}

  /**
   * Returns the outcome of each line, in their order. A refused line does not affect the others. A key that was imported
   * before stays as it is.
   */
  async execute(lines: readonly ImportedLine[], actor: Actor): Promise<ImportOutcome[]> {
    const problems = lines.map((line) => orRefusal(() => void requireImportable(line, this.rules)));
    const good = lines.filter((_, index) => !problems[index]);
    const scope = {
      ownerIds: [...new Set(good.map(({ ownerId }) => ownerId))],
      publicParts: good.map(({ sha256 }) => ImportedKey.ofDigest(sha256).publicPart),
    };
    return this.imports.transaction(scope, (transaction) => {
      const made = new Map<string, ApiKey>();
      const importing = { transaction, made, actor };
      return lines.map((line, index) => problems[index] ?? orRefusal(() => this.import(line, importing)));
    });
  }

  private import(line: ImportedLine, { transaction, made, actor }: Importing): ImportOutcome {
    const { publicPart } = ImportedKey.ofDigest(line.sha256);
    const before = made.get(publicPart) ?? transaction.existing(publicPart);
    if (before) {
      const isSame = before.ownerId === line.ownerId && isProof(line.sha256, before.snapshot());
      if (!isSame) throw invalidFields([{ field: 'sha256', message: 'belongs to a key of another owner' }]);
      return { keyId: before.id, isNew: false };
    }
    const owner = transaction.account(line.ownerId);
    if (!owner || owner.status === 'deleted')
      throw new LatchkeyError('account_not_found', 'no account has this owner_id');
    const order = importOrder(line, owner, { ...this.rules, now: transaction.now });
    const key = ApiKey.import({ ...order, id: randomUUID() }, this.rules.marker, transaction.now);
    const change = { key, became: 'created' } as const;
    const notices = noticesOfChange(change, { clientIp: actor.client.ip });
    transaction.add({ key, event: eventOf(change, actor)!, notices });
    made.set(publicPart, key);
    const activeKeys = transaction.activeKeys(owner.id);
    const { maxActiveKeys } = keyPolicy(this.rules.policy, owner);
    return {
      keyId: key.id,
      isNew: true,
      ...(activeKeys > maxActiveKeys && { aboveLimit: { activeKeys, maxActiveKeys } }),
    };
  }
}

interface Importing {
  readonly transaction: ImportTransaction;
  /** By public part: a key may stand in two lines. */
  readonly made: Map<string, ApiKey>;
  readonly actor: Actor;
}

function orRefusal<T>(work: () => T): T | RefusedLine {
  try {
    return work();
  } catch (error) {
    if (error instanceof LatchkeyError) return { refused: error };
    throw error;
  }
}

/** For a dry run: each import takes the same locks and has the same outcomes, and stores nothing. */
export function rehearsedImports(imports: KeyImports): KeyImports {
  /** By owner, over all transactions, because none is stored. */
  const added = new Map<string, number>();
  const addedTo = (ownerId: string) => added.get(ownerId) ?? 0;
  return {
    transaction: (scope, work) =>
      imports.transaction(scope, (transaction) =>
        work({
          now: transaction.now,
          unanswered: [],
          account: (id) => transaction.account(id),
          existing: (publicPart) => transaction.existing(publicPart),
          activeKeys: (ownerId) => transaction.activeKeys(ownerId) + addedTo(ownerId),
          add: ({ key: { ownerId } }) => added.set(ownerId, addedTo(ownerId) + 1),
        }),
      ),
  };
}
