import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { PASSWORD } from '#test/support/application/calls.js';
import { CHEAP_HASH } from '#test/support/application/cheap.mjs';
import type { Clients } from '#test/support/callers/grpc-clients.js';
import { Person } from '#test/support/callers/person.js';
import type { PlatformLogin } from '#test/support/platform/platform-login.js';
import type { AccountState, Change, Rotation } from './stale-grants.js';

/** Where calls are sent. An instance that is stopped or killed answers nothing. */
export interface Place {
  readonly url: string;
  readonly clients: Clients;
}

/** A call that was carried out without an answer is refused when it is repeated, because of its version. */
const AWAY = [status.UNAVAILABLE, status.CANCELLED, status.DEADLINE_EXCEEDED];
const BACK_OFF_MS = 20;
const KEYS = 3;
const PERMISSIONS = [['systems:read'], ['systems:read', 'systems:write'], ['systems:read', 'users:read']];

/** The machine's monotonic clock in milliseconds, the same as in the processes of the guards. */
export const machineNow = (): number => Number(process.hrtime.bigint()) / 1e6;

/** An owner whose account and keys change all the time, one change after the other. Failed calls are repeated. */
export class LeasedOwner {
  readonly id = `u-${randomUUID()}`;
  readonly changes: Change[] = [];
  readonly rotations: Rotation[] = [];
  /** Errors that say something other than that an instance, or PostgreSQL, is away. */
  readonly broken: string[] = [];
  private versions = 0;
  private state: AccountState = { version: '0', isActive: true, permissions: PERMISSIONS[0]!, keys: [] };
  private readonly strings = new Map<string, string>();
  private readonly token: Promise<string>;

  /** @param onKeys called when keys came or went, so that guards check them */
  constructor(
    private readonly places: readonly Place[],
    login: PlatformLogin,
    private readonly onKeys: () => void,
  ) {
    this.token = login.token({ sub: this.id });
  }

  get keyIds(): ReadonlySet<string> {
    return new Set(this.strings.keys());
  }

  /** Also of keys that were revoked lately, so that guards keep asking for them. */
  get keyStrings(): readonly string[] {
    return [...this.strings.values()].slice(-2 * KEYS);
  }

  async live(paceMs: number, signal: AbortSignal): Promise<void> {
    await this.put(signal);
    while (!signal.aborted) {
      if (this.state.isActive && this.state.keys.length < KEYS) await this.create(signal);
      else await this.changeSomething(signal);
      await sleep(randomInt(2 * paceMs));
    }
  }

  private changeSomething(signal: AbortSignal): Promise<void> {
    const { isActive, keys } = this.state;
    if (!isActive) return this.account('ReactivateAccount', signal);
    const dice = randomInt(11);
    if (dice < 4) return this.put(signal);
    if (dice < 6) return this.account('SuspendAccount', signal);
    const keyId = keys[randomInt(keys.length)]!;
    if (dice < 8) return this.revoke(keyId, signal);
    return dice < 10 ? this.rotate(keyId, signal) : this.pause(keyId, signal);
  }

  private put(signal: AbortSignal): Promise<void> {
    const number = (this.versions += 1);
    const version = String(number);
    const permissions = PERMISSIONS[randomInt(PERMISSIONS.length)]!;
    const profile = { id: this.id, email: `${this.id}@example.org`, displayName: 'Ada', passwordHash: CHEAP_HASH };
    const attributes = { items: [{ name: 'version', value: version }] };
    const call = ({ clients }: Place) =>
      clients.putAccount({ ...profile, permissions: [...permissions], attributes, version: number });
    return this.change('put', call, () => ({ ...this.state, version, permissions }), signal);
  }

  private account(method: 'SuspendAccount' | 'ReactivateAccount', signal: AbortSignal): Promise<void> {
    const isActive = method === 'ReactivateAccount';
    // A call that is carried out late, after later changes, is refused because of its version.
    const version = (this.versions += 1);
    return this.change(
      method,
      ({ clients }) => clients.account(method, this.id, version),
      () => ({ ...this.state, isActive }),
      signal,
    );
  }

  private revoke(keyId: string, signal: AbortSignal): Promise<void> {
    const after = () => ({ ...this.state, keys: this.state.keys.filter((id) => id !== keyId) });
    return this.change(`revoke ${keyId}`, ({ clients }) => clients.revokeKeys({ keyId }), after, signal);
  }

  /** For a day, so that no run sees the key again. */
  private async pause(keyId: string, signal: AbortSignal): Promise<void> {
    const headers = { authorization: `Bearer ${await this.token}` };
    const call = async ({ url }: Place) => {
      const body = { minutes: 1440 };
      const { status: code } = await new Person(url).call('POST', `/v1/api-keys/${keyId}/pause`, body, headers);
      if (code === 503) throw new Error('unavailable');
      return code;
    };
    // Undefined: the run ended before an answer. 409: it is not active any more.
    const isDenied = (code: number | undefined) => code === undefined || code === 200 || code === 409;
    const after = (code: number | undefined) =>
      isDenied(code) ? { ...this.state, keys: this.state.keys.filter((id) => id !== keyId) } : this.state;
    await this.change(`pause ${keyId}`, call, after, signal);
  }

  private async create(signal: AbortSignal): Promise<void> {
    const order = { name: 'CI', access: 'read-and-write', expiresInDays: 1, password: PASSWORD };
    const before = this.state.keys.length;
    await this.addKey('create', '/v1/api-keys', order, undefined, signal);
    if (this.state.keys.length > before || signal.aborted) return;
    // Keys whose string was lost with an answer count, too.
    const all = ({ clients }: Place) => clients.revokeKeys({ ownerId: this.id });
    await this.change('revoke all', all, () => ({ ...this.state, keys: [] }), signal, 1);
  }

  private rotate(keyId: string, signal: AbortSignal): Promise<void> {
    return this.addKey(
      `rotate ${keyId}`,
      `/v1/api-keys/${keyId}/rotate`,
      { graceSeconds: 0, password: PASSWORD },
      keyId,
      signal,
    );
  }

  /** A call that makes a key is not repeated at two places, and is given up where the rules do not allow it. */
  private async addKey(what: string, path: string, order: object, oldId: string | undefined, signal: AbortSignal) {
    const headers = { authorization: `Bearer ${await this.token}`, 'idempotency-key': randomUUID() };
    const call = async ({ url }: Place) => {
      const { status: code, body } = await new Person(url).call('POST', path, order, headers);
      if (code === 503) throw new Error('unavailable');
      return code === 201 ? (body as { apiKey: { id: string }; fullKey?: string }) : undefined;
    };
    const after = (made: Awaited<ReturnType<typeof call>>) => {
      if (!made?.fullKey) return this.state;
      this.strings.set(made.apiKey.id, made.fullKey);
      if (oldId) this.rotations.push({ oldId, successorId: made.apiKey.id });
      return { ...this.state, keys: [...this.state.keys, made.apiKey.id] };
    };
    await this.change(what, call, after, signal, 1);
    this.onKeys();
  }

  /** Sends it to one place, or to two at once: then the first answer counts. */
  private async change<T>(
    what: string,
    call: (place: Place) => Promise<T>,
    after: (answer: T) => AccountState,
    signal: AbortSignal,
    atOnce = randomInt(3) === 0 ? 2 : 1,
  ): Promise<void> {
    const invokedAt = machineNow();
    while (!signal.aborted) {
      const first = randomInt(this.places.length);
      const places = Array.from({ length: atOnce }, (_, index) => this.places[(first + index) % this.places.length]!);
      try {
        const answer = await Promise.any(places.map(call));
        const answeredAt = machineNow();
        this.state = after(answer);
        this.changes.push({ what, invokedAt, answeredAt, after: this.state });
        return;
      } catch (error) {
        for (const each of (error as AggregateError).errors) this.note(what, each);
        await sleep(BACK_OFF_MS);
      }
    }
    // The run is over: the change may have been made, and is not answered.
    this.changes.push({ what, invokedAt, answeredAt: Infinity, after: after(undefined as T) });
  }

  private note(what: string, error: { readonly code?: number; readonly message: string }): void {
    const isAway =
      error.code === undefined ? /fetch failed|unavailable/.test(error.message) : AWAY.includes(error.code);
    if (!isAway) this.broken.push(`${what}: ${error.message}`);
  }
}
