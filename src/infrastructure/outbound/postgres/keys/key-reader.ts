import { KeyReader, type KeyReading } from '../../../../application/ports.js';
import type { AccountStatus } from '../../../../domain/accounts/account.js';
import type { AccessLevel } from '../../../../domain/keys/access.js';
import { KeyStanding } from '../../../../domain/keys/key-standing.js';
import { Batcher } from '../../batching/batcher.js';
import { gauge, histogram, type Instrument } from '../../../telemetry/instrument.js';
import { NO_TRACES } from '../../../telemetry/traces.js';
import { NOW } from '../connection/database.js';
import { PostgresOutage } from '../connection/postgres-outage.js';
import type { Primary } from '../connection/primary.js';
import { ReservedConnections } from '../connection/reserved-connections.js';
import { unavailable } from '../connection/store-error.js';

const MAX_BATCH = 512;
const MAX_IN_FLIGHT = 2;

/**
 * One row for every public part asked, known or not, so that the answer always has the server's own state. Times come as
 * seconds and permissions (which hold no spaces) as one text: what pg makes of them by itself costs more than the read.
 * What few keys have is null for the others, which pg reads for next to nothing.
 */
const READ_KEYS = {
  name: 'read_keys_v4',
  text: `
    SELECT asked.public_part, k.id, k.owner_id, k.access, k.digest,
      date_part('epoch', k.created_at) AS created_at, date_part('epoch', k.expires_at) AS expires_at,
      date_part('epoch', k.revoked_at) AS revoked_at, date_part('epoch', k.expired_at) AS expired_at,
      date_part('epoch', k.ends_at) AS ends_at,
      k.first_used_at IS NULL AND nullif(k.replaces IS NOT NULL, false) AS awaits_first_use,
      a.status, array_to_string(a.permissions, ' ') AS permissions,
      date_part('epoch', ${NOW}) AS now, pg_is_in_recovery() AS standby
    FROM unnest(string_to_array($1, ',')) AS asked (public_part)
    LEFT JOIN api_keys k ON k.public_part = asked.public_part::char(24)
    LEFT JOIN accounts a ON a.id = k.owner_id`,
};

interface KeyReadingRow {
  public_part: string;
  id: string | null;
  owner_id: string;
  access: AccessLevel;
  digest: Buffer;
  created_at: number;
  expires_at: number;
  revoked_at: number | null;
  expired_at: number | null;
  ends_at: number | null;
  awaits_first_use: boolean | null;
  status: AccountStatus;
  permissions: string;
  now: number;
  standby: boolean;
}

/** Validations that arrive together are read together, by one autocommit statement; see Batcher for "never stale". */
export class PostgresKeyReader extends KeyReader {
  private readonly connections: ReservedConnections;
  private readonly batcher: Batcher<string, KeyReading>;

  constructor(primary: Primary, traces = NO_TRACES, outage = new PostgresOutage()) {
    super();
    this.connections = new ReservedConnections(primary, 'validation', MAX_IN_FLIGHT);
    this.batcher = new Batcher({
      send: (publicParts) => outage.watch('validation', () => this.readAll(publicParts)),
      maxBatch: MAX_BATCH,
      maxInFlight: MAX_IN_FLIGHT,
      patienceMs: primary.config.patienceMs,
      name: 'postgresql read_keys',
      traces,
    });
  }

  read(publicPart: string): Promise<KeyReading> {
    return this.batcher.add(publicPart);
  }

  /** Throws when PostgreSQL can't be reached. */
  open(): Promise<void> {
    return this.connections.open();
  }

  close(): Promise<void> {
    return this.connections.close();
  }

  instruments(): Instrument[] {
    const { batcher } = this;
    return [
      histogram('latchkey_batch_size', 'Validations answered by one read of PostgreSQL', () => [[{}, batcher.sizes]]),
      gauge('latchkey_batches_in_flight', 'Reads under way for validations', () => batcher.load.inFlight),
      gauge('latchkey_validations_waiting', 'Validations waiting for the next read', () => batcher.load.waiting),
      ...this.connections.instruments(),
    ];
  }

  private async readAll(publicParts: readonly string[]): Promise<KeyReading[]> {
    const sentAt = performance.now();
    const distinct = [...new Set(publicParts)];
    const rows = await this.connections.query<KeyReadingRow>(READ_KEYS, [distinct.join()]);
    if (rows[0]?.standby !== false) throw unavailable(new Error('PostgreSQL is in recovery'));
    const byPublicPart = new Map(rows.map((row) => [row.public_part, toReading(sentAt, row)]));
    return publicParts.map((publicPart) => byPublicPart.get(publicPart)!);
  }
}

/** What one row says, for all who asked for it. */
function toReading(sentAt: number, row: KeyReadingRow): KeyReading {
  const now = toDate(row.now);
  if (row.id === null) return { now, sentAt };
  const found = KeyStanding.restore({
    id: row.id,
    ownerId: row.owner_id,
    access: row.access,
    digest: row.digest,
    createdAt: toDate(row.created_at),
    expiresAt: toDate(row.expires_at),
    revokedAt: row.revoked_at === null ? null : toDate(row.revoked_at),
    expiredAt: row.expired_at === null ? null : toDate(row.expired_at),
    endsAt: row.ends_at === null ? null : toDate(row.ends_at),
    awaitsFirstUse: row.awaits_first_use === true,
    owner: { status: row.status, permissions: row.permissions === '' ? [] : row.permissions.split(' ') },
  });
  return { now, sentAt, found };
}

/** @param seconds of a time kept in milliseconds, with what binary fractions add or take */
function toDate(seconds: number): Date {
  return new Date(Math.round(seconds * 1000));
}
