import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { sql } from '#test/support/stores/sql.js';

/** Laravel Sanctum's table, and tokens as its `createToken` makes them. Both are written after its source. */
export class SanctumTokens {
  constructor(
    private readonly url: string,
    private readonly tokenPrefix: string,
  ) {}

  /** As its migration makes the table on PostgreSQL. */
  async createTable(): Promise<void> {
    await sql(
      this.url,
      `CREATE TABLE personal_access_tokens (
         id bigserial PRIMARY KEY, tokenable_type varchar(255) NOT NULL, tokenable_id bigint NOT NULL,
         name text NOT NULL, token varchar(64) NOT NULL UNIQUE, abilities text,
         last_used_at timestamp(0), expires_at timestamp(0), created_at timestamp(0), updated_at timestamp(0))`,
    );
  }

  /** @returns what Sanctum hands out: the row's id, `|`, and the token, of which the table has the hash */
  async createToken(userId: string, name: string, abilities: readonly string[], expiresInDays?: number) {
    const entropy = randomBytes(20).toString('hex');
    const token = `${this.tokenPrefix}${entropy}${crc32(entropy).toString(16).padStart(8, '0')}`;
    const [row] = await sql<{ id: string }>(
      this.url,
      `INSERT INTO personal_access_tokens
         (tokenable_type, tokenable_id, name, token, abilities, expires_at, created_at, updated_at)
       VALUES ('App\\Models\\User', $1, $2, $3, $4, utc + $5 * interval '1 day', utc, utc)
       RETURNING id`.replaceAll('utc', "(now() AT TIME ZONE 'UTC')"),
      [
        userId,
        name,
        createHash('sha256').update(token).digest('hex'),
        JSON.stringify(abilities),
        expiresInDays ?? null,
      ],
    );
    return `${row!.id}|${token}`;
  }
}
