import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** Notifies of changes as a process that waits does, and hears the acknowledgements. */
export class LeaseChannel {
  /** The ids of notifications that were acknowledged, in order. */
  readonly acknowledged: string[] = [];

  private constructor(private readonly client: pg.Client) {}

  static async open(url: string): Promise<LeaseChannel> {
    const client = new pg.Client({ connectionString: url });
    const channel = new LeaseChannel(client);
    client.on('notification', ({ payload }) => channel.acknowledged.push(JSON.parse(payload!).id));
    await client.connect();
    await client.query('LISTEN latchkey_acknowledged');
    return channel;
  }

  /** @returns the id of the notification */
  async notify(owner: string): Promise<string> {
    const id = randomUUID();
    await this.client.query(`SELECT pg_notify('latchkey_leases', $1)`, [JSON.stringify({ id, owner })]);
    return id;
  }

  close(): Promise<void> {
    return this.client.end();
  }
}
