import { sql } from '#test/support/stores/sql.js';

export interface LedgerKey {
  readonly id: string;
  readonly fullKey: string;
}

/** The changes that the service has acknowledged: keys created, and keys revoked. */
export class Ledger {
  /** Keys that nobody revokes. */
  readonly good: LedgerKey[] = [];
  readonly revoked: LedgerKey[] = [];
  private readonly created = new Set<string>();

  /** Records an acknowledged creation. */
  note({ id }: LedgerKey): void {
    this.created.add(id);
  }

  get changes(): number {
    return this.created.size + this.revoked.length;
  }

  /** Counts the acknowledged changes that a database does not have. */
  async lostIn(url: string): Promise<{ created: number; revoked: number }> {
    const rows = await sql<{ id: string; is_revoked: boolean }>(
      url,
      'SELECT id, revoked_at IS NOT NULL AS is_revoked FROM api_keys WHERE id = ANY($1)',
      [[...this.created, ...this.revoked.map(({ id }) => id)]],
    );
    const found = new Map(rows.map(({ id, is_revoked: isRevoked }) => [id, isRevoked]));
    return {
      created: [...this.created].filter((id) => !found.has(id)).length,
      revoked: this.revoked.filter(({ id }) => found.get(id) === false).length,
    };
  }
}
