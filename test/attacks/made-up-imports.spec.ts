import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { unknownKey } from '../support/callers/key-strings.js';
import { importedString, IMPORT_PREFIX, importedKey } from '../support/callers/imports.js';
import { eventually } from '../support/eventually.js';
import { newOwner } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';
import { readMetrics } from '../support/reading/metrics-page.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { SlowLine } from '../support/stores/slow-line.js';

/** What PostgreSQL is asked for: the first 96 bits of the digest. */
const publicPartOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 24);
/** What readiness reads, and nothing else. */
const NOBODYS_KEY = '0'.repeat(24);

interface Sent {
  /** The connection's application_name. */
  readonly by: string;
  /** The values of a prepared statement, or the text of a simple one. */
  readonly text: string;
}

/** A line to PostgreSQL, without TLS, that notes each statement that is sent, and on which connection, and may hold some. */
class StatementLog extends SlowLine {
  readonly sent: Sent[] = [];
  private held: string | undefined;

  /** Holds what connections with this application_name send, until `release`. */
  holdStatementsOf(by: string): void {
    this.held = by;
    this.hold('requests');
  }

  /**
   * Reads what a client sends (PostgreSQL's documentation, "Message Formats"): Startup, which has the connection's
   * application_name, then typed messages.
   */
  protected override requests() {
    let unread = Buffer.alloc(0);
    let by: string | undefined;
    return (bytes: Buffer) => {
      unread = Buffer.concat([unread, bytes]);
      for (;;) {
        const head = by === undefined ? 0 : 1;
        const end = unread.length < head + 4 ? Infinity : head + unread.readInt32BE(head);
        if (end > unread.length) return by === this.held ? this.arrival('requests') : undefined;
        const body = unread.toString('latin1', head + 4, end);
        const type = String.fromCharCode(unread[0]!);
        unread = unread.subarray(end);
        if (by === undefined) by = /application_name\0([^\0]*)/.exec(body)?.[1] ?? '';
        else if (type === 'B' || type === 'Q') this.sent.push({ by, text: body });
      }
    };
  }
}

describe('a made-up string', () => {
  let service: Service;
  let log: StatementLog;
  let imported: string;
  const undo: (() => unknown)[] = [];
  beforeAll(async () => {
    const database = await createDatabase();
    undo.push(() => database.drop());
    log = await StatementLog.to(database.url);
    undo.push(() => log.close());
    service = await startService({ DATABASE_URL: log.instead(database.url), IMPORT_PREFIXES: `${IMPORT_PREFIX},sk|` });
    undo.push(() => service.stop());
    imported = (await importedKey(service.clients, (await newOwner(service)).id)).text;
  });
  afterAll(async () => {
    for (const step of undo.reverse()) await step();
  });

  /** The reads that validations of these strings cause, by connection. */
  async function readsFor(texts: readonly string[], outcome: 'grant' | 'denial' = 'denial') {
    log.sent.length = 0;
    for (const text of texts) {
      // One after the other, so that each has a read of its own.
      // oxlint-disable-next-line no-await-in-loop
      expect((await service.clients.validate(text)).outcome).toBe(outcome);
    }
    const readers = ['latchkey imports', 'latchkey validation'];
    const reads = log.sent.filter(({ by, text }) => readers.includes(by) && !text.includes(NOBODYS_KEY));
    return { imports: reads.filter(({ by }) => by === readers[0]), own: reads.filter(({ by }) => by === readers[1]) };
  }

  test.each([
    ['of another beginning', `other_${'x'.repeat(40)}`],
    ['that contains a beginning later on', `x${IMPORT_PREFIX}${'x'.repeat(40)}`],
    ['with a beginning in capitals', `${IMPORT_PREFIX.toUpperCase()}${'x'.repeat(40)}`],
    ['that is only a part of a beginning', IMPORT_PREFIX.slice(0, -1).padEnd(40, '-')],
    ['that begins like an import and has 23 characters', IMPORT_PREFIX.padEnd(23, 'x')],
    ['that begins like an import and has 513 characters', IMPORT_PREFIX.padEnd(513, 'x')],
    ['that begins like an import and has a space', `${IMPORT_PREFIX}${'x'.repeat(30)} x`],
    ['that begins like an import and has a line break', `${IMPORT_PREFIX}${'x'.repeat(30)}\n`],
    ['that begins like an import and is not ASCII', `${IMPORT_PREFIX}${'é'.repeat(30)}`],
    ['that looks like our own keys, with a wrong checksum', `lk_${'a'.repeat(24)}.${'b'.repeat(64)}`],
  ])('costs no read if it begins like no import: one %s', async (_, text) => {
    expect(await readsFor([text, text, text])).toEqual({ imports: [], own: [] });
  });

  test('costs one read on the connections for imports if it begins like one, and none on those for our own keys', async () => {
    const texts = Array.from({ length: 20 }, importedString);
    const { imports, own } = await readsFor(texts);
    expect(own).toEqual([]);
    expect(imports.map(({ text }) => texts.findIndex((each) => text.includes(publicPartOf(each))))).toEqual(
      texts.map((_, index) => index),
    );
  });

  test('costs the same as an imported key, which is read where the made-up ones are', async () => {
    const { imports, own } = await readsFor([imported, imported], 'grant');
    expect([imports.length, own.length]).toEqual([2, 0]);
  });

  test('of our own form is read on the other connections alone', async () => {
    const { imports, own } = await readsFor([unknownKey(), unknownKey()]);
    expect([imports.length, own.length]).toEqual([0, 2]);
  });

  test('delays no key of ours, even while its own reads get no answer', async () => {
    const { fullKey } = await (await newOwner(service)).person.newKey();
    const waves = [100, 100].map((length) => Array.from({ length }, importedString));
    const held = () => log.sent.filter(({ by }) => by === 'latchkey imports').length;
    log.sent.length = 0;
    log.holdStatementsOf('latchkey imports');
    const refused = [];
    for (const [index, wave] of waves.entries()) {
      refused.push(...wave.map((text) => service.clients.validate(text)));
      // The second wave needs the second connection, if the first has left it.
      // oxlint-disable-next-line no-await-in-loop
      await eventually(async () => held() > index);
    }
    expect(held()).toBe(2);
    for (let count = 0; count < 50; count += 1) {
      // oxlint-disable-next-line no-await-in-loop
      expect((await service.clients.validate(fullKey)).outcome).toBe('grant');
    }
    log.release();
    const reasons = (await Promise.all(refused)).map(({ denial }) => denial?.reason);
    expect(new Set(reasons)).toEqual(new Set(['REASON_INVALID_KEY']));
  });

  test('uses two more connections at most, which the metrics tell apart', async () => {
    const crowd = Array.from({ length: 200 }, () => service.clients.validate(importedString()));
    await Promise.all(crowd);
    const page = await readMetrics(service.url);
    expect(page.sum('latchkey_postgres_connections_max', { pool: 'imports' })).toBe(2);
    expect(page.sum('latchkey_postgres_connections', { pool: 'imports' })).toBeLessThanOrEqual(2);
    const labelled = ['latchkey_batch_size_count', 'latchkey_batches_in_flight', 'latchkey_validations_waiting'];
    for (const name of labelled) {
      const samples = page.samples.filter((sample) => sample.name === name);
      expect(samples.map(({ labels }) => labels['reads'])).toEqual([undefined, 'imports']);
    }
    expect(page.sum('latchkey_batch_size_sum', { reads: 'imports' })).toBeGreaterThanOrEqual(222);
    expect([...page.text.matchAll(/^# TYPE latchkey_batch_size /gm)]).toHaveLength(1);
  });
});
