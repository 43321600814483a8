import type { DeniedUse, KeyUsage } from '#application/validation-ports.js';
import { DAY_MS, utcDay, type UtcDay } from '#domain/time.js';
import {
  ADDRESSES_KEPT,
  type AddressUse,
  type DayCount,
  type DeniedRequest,
  firstKeptDay,
  type KeyHistory,
  USAGE_KEPT_DAYS,
  type PermissionUse,
} from '#domain/usage/key-history.js';
import { gauge, type Instrument } from '#infrastructure/telemetry/instrument.js';
import { chainFrom } from '../keys/listed-keys.js';
import type { NotedUse } from './noted-key.js';
import { NotedUsage } from './noted-usage.js';
import { type UsageParts, writeUsage } from './usage-writer.js';

const FLUSH_EVERY_MS = 1000;

const OF_KEY = 'WHERE key_id = $1 AND last_at > $2';
const ADDRESSES = `
  SELECT client_ip AS "clientIp", CASE WHEN used.key_id IS NULL THEN denied.service ELSE used.service END AS service,
    coalesce(used.first_at, denied.first_at) AS "firstAt", coalesce(used.last_at, denied.last_at) AS "lastAt",
    denied.last_at AS at, reason, operation, permission
  FROM (SELECT * FROM api_key_addresses ${OF_KEY}) AS used
  FULL JOIN (SELECT * FROM api_key_denials ${OF_KEY}) AS denied USING (client_ip)
  ORDER BY greatest(used.last_at, denied.last_at) DESC, client_ip LIMIT ${ADDRESSES_KEPT}`;
const DAYS = `
  SELECT day - date '1970-01-01' AS day, granted::float8 AS granted, refused::float8 AS refused FROM api_key_days
  WHERE key_id = $1 AND day >= date '1970-01-01' + $2::integer ORDER BY day`;

/** A successor has the record of the key that it replaced, too. */
const CHAIN = chainFrom('SELECT id, replaces, permissions_since FROM api_keys WHERE id = $1');
const PERMISSIONS = `${CHAIN}
  SELECT used, min(first_on) - date '1970-01-01' AS "firstDay", max(last_on) - date '1970-01-01' AS "lastDay",
    sum(count)::float8 AS count
  FROM api_key_permissions JOIN chain ON key_id = id GROUP BY used ORDER BY sum(count) DESC, used`;
const RECORDED_SINCE = `${CHAIN}
  SELECT (min(permissions_since) AT TIME ZONE 'UTC')::date - date '1970-01-01' AS since FROM chain`;

/** Collects uses in memory and writes them together, once a second. */
export class PostgresKeyUsage implements KeyUsage {
  private readonly noted = new NotedUsage();
  private readonly timer = setInterval(() => void this.write(() => this.noted.takeDue()), FLUSH_EVERY_MS).unref();
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly parts: UsageParts) {}

  instruments(): Instrument[] {
    const help = 'Keys whose last use, addresses and counts are due and not written yet';
    return [gauge('latchkey_last_uses_unwritten', help, () => this.noted.unwritten)];
  }

  noteGrant(keyId: string, clientIp: string | null, service: string | null, at: Date, used?: string, count = 1): void {
    this.noted.noteGrant(keyId, clientIp, service, at, used, count);
  }

  noteDenial(keyId: string, at: Date, denied?: DeniedUse): void {
    this.noted.noteDenial(keyId, at, denied);
  }

  history(keyId: string, now: Date): Promise<KeyHistory> {
    return this.parts.database.run(async (manager) => {
      const [keptSince, today] = [new Date(now.getTime() - USAGE_KEPT_DAYS * DAY_MS), utcDay(now)];
      const [recorded] = await manager.query<{ since: UtcDay | null }[]>(RECORDED_SINCE, [keyId]);
      return {
        uses: (await manager.query<AddressRow[]>(ADDRESSES, [keyId, keptSince])).map(toAddressUse),
        days: await manager.query<DayCount[]>(DAYS, [keyId, firstKeptDay(today)]),
        permissionUse: await manager.query<PermissionUse[]>(PERMISSIONS, [keyId]),
        permissionUseSince: recorded!.since ?? today,
      };
    });
  }

  flush(): Promise<void> {
    return this.write(() => this.noted.takeAll());
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  /** One after the other, so that this uses at most one connection. What can't be written is taken again. */
  private write(take: () => readonly NotedUse[]): Promise<void> {
    this.writing = this.writing.then(async () => {
      this.noted.putBack(await writeUsage(this.parts, take()));
    });
    return this.writing;
  }
}

/** The last four are null without a denial. */
type AddressRow = Omit<AddressUse, 'lastDenial'> & DeniedRequest & { readonly at: Date | null };

function toAddressUse({ at, reason, operation, permission, ...use }: AddressRow): AddressUse {
  return { ...use, ...(at && { lastDenial: { at, reason, operation, permission } }) };
}
