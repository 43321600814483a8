import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { eventually } from '../eventually.js';

interface Recall {
  readonly id: string;
  readonly owner: string;
}

/** A process that may have given leases, and acknowledges only when the test says so. */
export class TestGiver {
  readonly id = randomUUID();
  readonly recalls: Recall[] = [];

  private constructor(private readonly client: pg.Client) {
    client.on('notification', ({ payload }) => this.recalls.push(JSON.parse(payload!) as Recall));
  }

  /** @param timeline whose registrations are complete; by default that of the server */
  static async register(databaseUrl: string, { leaseMs = 10_000, timeline = 1 } = {}): Promise<TestGiver> {
    const giver = new TestGiver(new pg.Client({ connectionString: databaseUrl }));
    const { client, id } = giver;
    await client.connect();
    await client.query('LISTEN latchkey_leases');
    await client.query('INSERT INTO lease_registrations (id, lease_ms, renewed_at) VALUES ($1, $2, now())', [
      id,
      leaseMs,
    ]);
    const name = 'INSERT INTO lease_timeline (timeline) VALUES ($1) ON CONFLICT (id) DO UPDATE SET timeline = $1';
    await client.query(name, [timeline]);
    return giver;
  }

  /** Waits for the notifications about this owner, which nobody acknowledged yet, and removes them. */
  async recalled(owner: string, count = 1): Promise<string[]> {
    const own = () => this.recalls.filter((recall) => recall.owner === owner);
    await eventually(async () => own().length >= count);
    const ids = own().map(({ id }) => id);
    this.recalls.splice(0, Infinity, ...this.recalls.filter((recall) => recall.owner !== owner));
    return ids;
  }

  async acknowledge(...ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const payload = JSON.stringify({ giver: this.id, id });
      // oxlint-disable-next-line no-await-in-loop
      await this.client.query(`SELECT pg_notify('latchkey_acknowledged', $1)`, [payload]);
    }
  }

  async leave(): Promise<void> {
    await this.client.query('DELETE FROM lease_registrations WHERE id = $1', [this.id]);
    await this.client.end();
  }
}
