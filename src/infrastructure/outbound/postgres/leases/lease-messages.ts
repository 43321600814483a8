import type { Notification } from 'pg';
import type { ChangeMessages } from '../../../../application/ports.js';
import type { Recall } from '../../../../domain/leases/giving.js';
import { withTimeout } from '../../batching/timeout.js';
import { PrimaryClient } from '../client/connection.js';
import type { Primary } from '../client/primary.js';

/** A change was committed: `{"id": <notification>, "owner": <account>}`. */
export const CHANGES = 'latchkey_leases';
/** No lease from before a change can be used any more: `{"giver": <registration>, "id": <notification>}`. */
const ACKNOWLEDGEMENTS = 'latchkey_acknowledged';

const CONNECT_TIMEOUT_MS = 2000;
const RECONNECT_PAUSE_MS = 100;
/** A connection may be lost without a sign. */
const CHECK_EVERY_MS = 5000;
const ANSWER_TIMEOUT_MS = 2000;
const END_TIMEOUT_MS = 1000;

type OnChange = (recall: Recall) => void;
type OnAcknowledged = (giverId: string, notificationId: string) => void;

/**
 * Carries changes to those that give leases, and acknowledgements back, by PostgreSQL's LISTEN and NOTIFY. Messages may
 * be lost: then a change waits for the end of the leases. Through a pool nothing is ever heard.
 */
export class LeaseMessages implements ChangeMessages {
  private readonly onChanges: OnChange[] = [];
  private readonly onAcknowledgements: OnAcknowledged[] = [];
  /** The connection that listens. */
  private client: PrimaryClient | undefined;
  private connecting: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private listeners = 0;

  /** @param isGiver whether this process gives leases, and so listens as long as it runs */
  constructor(
    private readonly primary: Primary,
    private readonly isGiver: boolean,
  ) {}

  /** Returns after the first attempt. Then it keeps trying. */
  async open(): Promise<void> {
    if (this.isGiver && this.canListen) await this.begin();
  }

  async close(): Promise<void> {
    this.listeners = 0;
    await this.connecting;
    await this.end();
  }

  /** Listens at least as long as `work` runs, which begins even if no connection can be made. */
  async listenFor<T>(work: () => Promise<T>): Promise<T> {
    if (!this.canListen) return work();
    await this.begin();
    try {
      return await work();
    } finally {
      this.listeners -= 1;
      if (this.listeners === 0) void this.end();
    }
  }

  onChange(listener: OnChange): void {
    this.onChanges.push(listener);
  }

  onAcknowledged(listener: OnAcknowledged): void {
    this.onAcknowledgements.push(listener);
  }

  /** @param giverId of the registration under which the leases were given */
  acknowledge(giverId: string, notificationId: string): void {
    const payload = JSON.stringify({ giver: giverId, id: notificationId });
    this.client?.query(`SELECT pg_notify('${ACKNOWLEDGEMENTS}', $1)`, [payload]).catch(() => undefined);
  }

  private get canListen(): boolean {
    return this.primary.config.pooling === 'session';
  }

  private async begin(): Promise<void> {
    this.listeners += 1;
    if (!this.client) await this.look();
  }

  /** Connects, or checks the connection, and does so again later. */
  private async look(): Promise<void> {
    clearTimeout(this.timer);
    if (this.client) await this.client.query('SELECT').catch(() => this.client?.drop());
    else await (this.connecting ??= this.connect().finally(() => (this.connecting = undefined)));
    this.plan(this.client ? CHECK_EVERY_MS : RECONNECT_PAUSE_MS);
  }

  private plan(inMs: number): void {
    clearTimeout(this.timer);
    if (this.listeners > 0) this.timer = setTimeout(() => void this.look(), inMs).unref();
  }

  private async connect(): Promise<void> {
    const client = new PrimaryClient(this.primary, {
      application_name: 'latchkey leases',
      keepAlive: true,
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
    });
    client.on('notification', (message) => this.receive(message));
    client.once('end', () => {
      if (this.client !== client) return;
      this.client = undefined;
      this.plan(RECONNECT_PAUSE_MS);
    });
    const listen = async () => {
      await client.connect();
      await client.setUp();
      const channels = this.isGiver ? [CHANGES, ACKNOWLEDGEMENTS] : [ACKNOWLEDGEMENTS];
      // A notification need not survive a crash, so it does not wait for a standby, which may be missing.
      await client.query(`SET synchronous_commit = off; ${channels.map((channel) => `LISTEN ${channel}`).join('; ')}`);
      if (this.listeners > 0) this.client = client;
      else client.drop();
    };
    await withTimeout(CONNECT_TIMEOUT_MS, listen(), () => client.drop()).catch(() => client.drop());
  }

  private async end(): Promise<void> {
    clearTimeout(this.timer);
    const { client } = this;
    this.client = undefined;
    if (client) await withTimeout(END_TIMEOUT_MS, client.end(), () => client.drop()).catch(() => undefined);
  }

  private receive({ channel, payload }: Notification): void {
    const { giver, id, owner } = fieldsOf(payload);
    if (channel === CHANGES) for (const each of this.onChanges) each({ notificationId: id ?? '', ownerId: owner });
    else if (giver && id) for (const each of this.onAcknowledgements) each(giver, id);
  }
}

type Fields = Partial<Record<'giver' | 'id' | 'owner', string>>;

/** Leaves out what is not a text. A change whose owner can't be read touches every lease. */
function fieldsOf(payload: string | undefined): Fields {
  try {
    const read = Object.entries(JSON.parse(payload ?? '') as object);
    return Object.fromEntries(read.filter(([, value]) => typeof value === 'string')) as Fields;
  } catch {
    return {};
  }
}
