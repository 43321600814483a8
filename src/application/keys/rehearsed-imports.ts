import type { KeyImports } from '../key-import-ports.js';

/** For a dry run: each import takes the same locks and has the same outcomes, and stores nothing. */
export function rehearsedImports(imports: KeyImports): KeyImports {
  return {
    transaction: (scope, work) =>
      imports.transaction(scope, (transaction) =>
        work({
          now: transaction.now,
          unanswered: [],
          account: (id) => transaction.account(id),
          existing: (publicPart) => transaction.existing(publicPart),
          add: () => undefined,
        }),
      ),
  };
}
