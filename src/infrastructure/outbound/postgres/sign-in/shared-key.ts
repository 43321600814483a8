import type { Database } from '../client/database.js';
import { DecoyKeyRow } from './rows.js';

/** Random bytes that all instances share. They are read once; each use derives a key of its own from them. */
export class PostgresSharedKey {
  private key: Promise<Uint8Array> | undefined;

  constructor(private readonly database: Database) {}

  /** Throws `unavailable` while PostgreSQL has not answered yet. */
  read(): Promise<Uint8Array> {
    this.key ??= this.load().catch((error: unknown) => {
      this.key = undefined;
      throw error;
    });
    return this.key;
  }

  private async load(): Promise<Uint8Array> {
    const row = await this.database.run((manager) => manager.findOneByOrFail(DecoyKeyRow, { id: 1 }));
    return row.key;
  }
}
