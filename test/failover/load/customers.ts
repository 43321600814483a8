import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { PASSWORD } from '#test/support/application/calls.js';
import { CHEAP_HASH } from '#test/support/application/cheap.mjs';
import type { Answer } from '#test/support/callers/person.js';
import type { PlatformLogin } from '#test/support/platform/platform-login.js';
import type { Service } from '#test/support/processes/service.js';
import type { Ledger, LedgerKey } from './ledger.js';

const KEYS_EACH = 3;
/** The pause between two changes of one customer: an ordinary load, not a measurement of the maximum. */
const PACE_MS = 40;

/** People who arrive, create keys, revoke all but one and stay. Each call goes to another instance. */
export class Customers {
  unavailable = 0;
  /** Answers that no service should give, with or without faults. */
  readonly broken: string[] = [];
  private isOver = false;
  private readonly coming: readonly Promise<void>[];
  private calls = 0;

  constructor(
    private readonly services: readonly Service[],
    private readonly login: PlatformLogin,
    private readonly ledger: Ledger,
    atOnce: number,
  ) {
    this.coming = Array.from({ length: atOnce }, () => this.oneAfterAnother());
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.coming);
  }

  private async oneAfterAnother(): Promise<void> {
    while (!this.isOver) await this.live();
  }

  private async live(): Promise<void> {
    const id = `c-${randomUUID()}`;
    if (!(await this.signUp(id))) return pause(PACE_MS);
    const token = await this.login.token({ sub: id });
    const keys: LedgerKey[] = [];
    for (let key = 0; key < KEYS_EACH && !this.isOver; key += 1) {
      const created = await this.create(token);
      if (created) keys.push(created);
      await pause(PACE_MS);
    }
    const [kept, ...others] = keys;
    if (kept) this.ledger.good.push(kept);
    for (const key of others) await this.revoke(key, token);
  }

  private async signUp(id: string): Promise<boolean> {
    const profile = { id, email: `${id}@example.org`, displayName: 'Ada', passwordHash: CHEAP_HASH };
    const { clients } = this.next();
    return clients.putAccount({ ...profile, permissions: ['systems:read'] }).then(
      () => true,
      ({ code, message }) => {
        this.unavailable += 1;
        if (code !== 14) this.broken.push(`putAccount: ${message}`);
        return false;
      },
    );
  }

  private async create(token: string): Promise<LedgerKey | undefined> {
    const order = { name: 'CI', access: 'read-and-write', expiresInDays: 1, password: PASSWORD };
    const { status, body } = await this.call('/v1/api-keys', token, order);
    if (status !== 201) return this.expectUnavailable('create', status, body);
    const key = { id: body.apiKey.id, fullKey: body.fullKey };
    this.ledger.note(key);
    return key;
  }

  /**
   * Repeats a revocation until it is answered. An unanswered one may have been carried out; then the next answer says
   * so.
   */
  private async revoke(key: LedgerKey, token: string): Promise<void> {
    while (!this.isOver) {
      const { status, body } = await this.call(`/v1/api-keys/${key.id}/revoke`, token);
      if (status === 200 || (status === 409 && body.code === 'api_key_not_active')) {
        this.ledger.revoked.push(key);
        return;
      }
      this.expectUnavailable('revoke', status, body);
      await pause(PACE_MS);
    }
  }

  private expectUnavailable(what: string, status: number, body: unknown): undefined {
    this.unavailable += 1;
    if (status !== 503) this.broken.push(`${what}: ${status} ${JSON.stringify(body)}`);
  }

  private call(path: string, token: string, body?: object): Promise<Answer> {
    return this.next()
      .person()
      .call('POST', path, body, { authorization: `Bearer ${token}` });
  }

  private next(): Service {
    return this.services[(this.calls += 1) % this.services.length]!;
  }
}
