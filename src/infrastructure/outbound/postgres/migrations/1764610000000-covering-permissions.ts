import type { QueryRunner } from 'typeorm';
import { isCovered } from '#domain/accounts/permission.js';
import type { ReportingMigration } from './migrate.js';

const PAGE = 1000;
/** Further accounts are counted. */
const MAX_REPORTED = 1000;

/** Only such accounts can have a permission below another one. Found by their ids, so that memory holds one page. */
const ACCOUNTS = `
  SELECT id, permissions FROM accounts
  WHERE id > $1 AND array_to_string(permissions, ' ') LIKE '%/%' ORDER BY id LIMIT ${PAGE}`;

/** Changes nothing: reports which permissions of one account, separate until now, are covered by another of it. */
export class CoveringPermissions1764610000000 implements ReportingMigration {
  readonly name = 'CoveringPermissions1764610000000';
  readonly findings: string[] = [];

  async up(runner: QueryRunner): Promise<void> {
    let [found, last] = [0, ''];
    for (;;) {
      const accounts: { id: string; permissions: string[] }[] = await runner.query(ACCOUNTS, [last]);
      for (const { id, permissions } of accounts) {
        const pairs = pairsIn(permissions);
        if (pairs.length === 0) continue;
        found += 1;
        if (found <= MAX_REPORTED) this.findings.push(`account ${id}: ${pairs.join(', ')}`);
      }
      if (accounts.length < PAGE) break;
      last = accounts.at(-1)!.id;
    }
    if (found > MAX_REPORTED) this.findings.push(`and ${found - MAX_REPORTED} further accounts like these`);
  }

  async down(): Promise<void> {}
}

function pairsIn(permissions: readonly string[]): string[] {
  return permissions.flatMap((narrow) => {
    const wide = permissions.find((other) => other !== narrow && isCovered(narrow, new Set([other])));
    return wide === undefined ? [] : [`${wide} now covers ${narrow}`];
  });
}
