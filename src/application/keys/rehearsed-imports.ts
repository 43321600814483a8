import type { KeyImports } from '../key-import-ports.js';

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
