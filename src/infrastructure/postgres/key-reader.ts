import { KeyReader, type KeyReading } from '../../application/ports.js';
import type { AccountStatus } from '../../domain/account.js';
import type { AccessLevel } from '../../domain/access.js';
import { ApiKey } from '../../domain/api-key.js';
import { Batcher } from './batcher.js';
import { Lane, STATEMENT_PATIENCE_MS } from './lane.js';
import { unavailable } from './store-error.js';

const MAX_BATCH = 512;
const MAX_IN_FLIGHT = 2;

/** One row for every public part asked, known or not, so that the server's own state is always told. */
const READ_KEYS = {
  name: 'read_keys_v1',
  text: `
    SELECT asked.public_part, k.id, k.owner_id, k.name, k.access, k.key_prefix, k.digest,
      k.created_at, k.expires_at, k.revoked_at, k.expired_at, a.status, a.permissions,
      date_trunc('milliseconds', clock_timestamp()) AS now, pg_is_in_recovery() AS standby
    FROM unnest($1::text[]) AS asked (public_part)
    LEFT JOIN api_keys k ON k.public_part = asked.public_part::char(24)
    LEFT JOIN accounts a ON a.id = k.owner_id`,
};

interface KeyReadingRow {
  public_part: string;
  id: string | null;
  owner_id: string;
  name: string;
  access: AccessLevel;
  key_prefix: string;
  digest: Buffer;
  created_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
  expired_at: Date | null;
  status: AccountStatus;
  permissions: string[];
  now: Date;
  standby: boolean;
}

/** Validations that arrive together are read together, by one autocommit statement; see Batcher for "never stale". */
export class PostgresKeyReader extends KeyReader {
  private readonly lane: Lane;
  private readonly batcher: Batcher<string, KeyReading>;

  constructor(url: string) {
    super();
    this.lane = new Lane(url, 'validation', MAX_IN_FLIGHT);
    this.batcher = new Batcher({
      send: (publicParts) => this.readAll(publicParts),
      maxBatch: MAX_BATCH,
      maxInFlight: MAX_IN_FLIGHT,
      patienceMs: STATEMENT_PATIENCE_MS,
    });
  }

  read(publicPart: string): Promise<KeyReading> {
    return this.batcher.add(publicPart);
  }

  /** Throws when PostgreSQL can't be reached. */
  open(): Promise<void> {
    return this.lane.open();
  }

  close(): Promise<void> {
    return this.lane.close();
  }

  private async readAll(publicParts: readonly string[]): Promise<KeyReading[]> {
    const distinct = [...new Set(publicParts)];
    const rows = await this.lane.query<KeyReadingRow>(READ_KEYS, [distinct]);
    if (rows[0]?.standby !== false) throw unavailable();
    const byPublicPart = new Map(rows.map((row) => [row.public_part, row]));
    // Each asker gets an aggregate of its own, for judging one may change it.
    return publicParts.map((publicPart) => toReading(byPublicPart.get(publicPart)!));
  }
}

function toReading(row: KeyReadingRow): KeyReading {
  if (row.id === null) return { now: row.now };
  const key = ApiKey.restore({
    id: row.id,
    ownerId: row.owner_id,
    name: row.name,
    access: row.access,
    keyPrefix: row.key_prefix,
    publicPart: row.public_part,
    digest: row.digest,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    expiredAt: row.expired_at,
  });
  return { now: row.now, found: { key, owner: { status: row.status, permissions: row.permissions } } };
}
