import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openTrail, SEAL_KEY_HEX, type Trail } from '../support/stores/audit-trail.js';
import { latchkey, LATCHKEY, runCommand } from '../support/processes/command-line.js';
import { hostedLatchkey } from '../support/processes/shell.js';

const MANY = 6000;
const LONG_DETAILS = 10_000;
/** Enough for the program and a page of rows, but not for all of them. */
const LITTLE_HEAP = '--max-old-space-size=48';

describe('latchkey audit', () => {
  let trail: Trail;
  beforeAll(async () => {
    trail = await openTrail();
    await trail.recordNineInThreeSeals();
  });
  afterAll(async () => {
    await trail?.close();
  });

  const env = () => ({ DATABASE_URL: trail.url, AUDIT_SEAL_KEY: SEAL_KEY_HEX });
  const audit = (args: string[]) => hostedLatchkey(['audit', ...args], { env: env() });
  const exported = async (...args: string[]) => {
    const { code, out, err } = await audit(['export', ...args]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };
  const stored = () => trail.app.sql<{ id: string; at: Date }>('SELECT * FROM audit_events ORDER BY id');

  test('export prints every column of every event, one line each, oldest first', async () => {
    const rows = await stored();
    const events = await exported('--json');
    expect(events).toHaveLength(9);
    expect(events.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    expect(events[0]).toEqual({
      id: rows[0]!.id,
      at: rows[0]!.at.toISOString(),
      type: 'authentication.failed',
      ownerId: 'owner-1',
      keyId: null,
      actorId: null,
      actorKind: null,
      reason: 'revoked',
      count: 1,
      publicPart: null,
      clientIp: '192.0.2.1',
      userAgent: 'Ünïcode "agent"',
      requestId: null,
      details: null,
    });
  });

  test.each(['2027-02-31', '2027-02-31T08:00:00Z', '2026-13-01', '2026-11-01T25:00Z'])(
    'export refuses a day or an hour that does not exist: %s',
    async (time) => {
      const { code, err } = await audit(['export', '--until', time]);
      expect([code, err]).toEqual([2, expect.stringContaining('--until must be a time such as')]);
    },
  );

  test('export includes --since and excludes --until, to the millisecond', async () => {
    await trail.tamper("UPDATE audit_events SET at = timestamptz '2026-11-01T00:00:00Z' + (id || ' h')::interval");
    const ids = async (...args: string[]) => (await exported(...args)).map(({ id }) => Number(id));
    expect(await ids('--since', '2026-11-01T03:00:00Z', '--until', '2026-11-01T05:00:00.000Z')).toEqual([3, 4]);
    expect(await ids('--since', '2026-11-01T09:30+01:00')).toEqual([9]);
    expect(await ids('--until', '2026-11-01')).toEqual([]);
    await trail.reset();
    await trail.recordNineInThreeSeals();
  });

  test('verify says in JSON that the audit trail is intact, and exports the newest seal', async () => {
    const { code, out } = await audit(['verify', '--json']);
    expect({ code, ...JSON.parse(out) }).toEqual({
      code: 0,
      intact: true,
      seals: '3',
      sealedEvents: 9,
      prunedSeals: '0',
      unsealedEvents: 0,
      oldestUnsealedAt: null,
      keys: { count: 0, takenAsFound: 0 },
      accounts: { count: 0, takenAsFound: 0 },
    });
    const seal = await audit(['verify', '--export-seal']);
    expect(JSON.parse(seal.out)).toMatchObject({ seal: '3', toEventId: '9' });
    expect(await audit(['verify', '--expect', seal.out.trim()])).toMatchObject({ code: 0, err: '' });
  });

  test('verify says in JSON which seal is broken, with exit code 1', async () => {
    await trail.tamper('UPDATE audit_events SET count = 2 WHERE id = 5');
    const { code, out, err } = await audit(['verify', '--json']);
    expect({ code, err, ...JSON.parse(out) }).toEqual({
      code: 1,
      err: '',
      intact: false,
      problem: 'the events differ from the sealed ones',
      seal: '2',
      fromEventId: '4',
      toEventId: '6',
    });
    await trail.reset();
    const none = await audit(['verify', '--export-seal']);
    expect(none).toEqual({ code: 1, out: '', err: 'latchkey: there is no seal to export yet\n' });
  });

  describe('with many events', () => {
    beforeAll(async () => {
      await trail.reset();
      await trail.record(MANY);
      await trail.tamper(`UPDATE audit_events SET details = repeat('x', ${LONG_DETAILS})`);
    });

    test('export needs the memory of one page, and shows no progress without a terminal', async () => {
      const { code, out, err } = await latchkey(['audit', 'export'], { env: { ...env(), NODE_OPTIONS: LITTLE_HEAP } });
      expect({ code, err }).toEqual({ code: 0, err: '' });
      const ids = [...out.matchAll(/^\{"id":"(\d+)"/gm)].map(([, id]) => Number(id));
      expect(ids).toHaveLength(MANY);
      expect([ids[0], ids.at(-1)]).toEqual([1, MANY]);
    });

    test('export ends silently when its reader stops', async () => {
      const command = `${process.execPath} ${LATCHKEY} audit export | head -n 2`;
      const { code, out, err } = await runCommand('sh', ['-c', command], { env: env() });
      expect({ code, lines: out.trimEnd().split('\n').length, err }).toEqual({ code: 0, lines: 2, err: '' });
    });

    test('verify shows its progress at a terminal', async () => {
      const command = `${process.execPath} ${LATCHKEY} audit verify`;
      const shown = await runCommand('script', ['-qec', command, '/dev/null'], { env: env() });
      expect(shown.code).toBe(0);
      expect(shown.out).toMatch(/█+░* \d+ %, \d+ events/);
      expect(shown.out).toContain(`events not sealed yet: ${MANY}`);
    });
  });
});
