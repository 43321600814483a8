import { NO_TERMS } from '#domain/accounts/account-change.js';
import { randomUUID } from 'node:crypto';
import type { PutAccount, PutAccountCommand } from '#application/accounts/put-account.js';
import type { CreateApiKeyCommand, MakeApiKeys, RotateApiKeyCommand } from '#application/keys/make-api-keys.js';
import { DEMO_OWNER } from '#config/demo.js';
import type { Client } from '#domain/audit/audit-event.js';
import { keyPolicy } from '#domain/keys/key-policy.js';

/** The password of all owners in the suites, also of the demo owner. */
export const PASSWORD = DEMO_OWNER.password;

/** By default, and what it allows an account without limits. */
export const SERVICE_POLICY = { maxActiveKeys: 5, maxKeyDays: 365 };
export const POLICY = keyPolicy(SERVICE_POLICY, NO_TERMS);

/** A person who works with their own keys. */
export function themselves(id: string) {
  return { personId: id, ownerId: id };
}

/** A client with a new request id. */
export function client(ip = '192.0.2.1'): Client {
  return { ip, userAgent: 'curl/8', requestId: randomUUID() };
}

/** What creates owners and keys: the use cases, over real adapters or over fakes. */
interface Maker {
  readonly putAccount: PutAccount;
  readonly makeApiKeys: MakeApiKeys;
  /** A hash of PASSWORD that is checked almost at once. */
  readonly cheapHash: string;
}

/** A new account, whose password is PASSWORD. */
export function newOwner({ putAccount, cheapHash }: Omit<Maker, 'makeApiKeys'>, part: Partial<PutAccountCommand> = {}) {
  const id = `u-${randomUUID()}`;
  return putAccount.execute({
    id,
    email: `${id}@example.org`,
    displayName: 'Ada',
    permissions: ['systems:read', 'systems:write', 'systems:delete'],
    ...(part.password === undefined ? { passwordHash: cheapHash } : {}),
    ...part,
  });
}

export function createKey(
  { makeApiKeys }: Pick<Maker, 'makeApiKeys'>,
  ownerId: string,
  part: Partial<CreateApiKeyCommand> = {},
) {
  const order = { name: 'CI', access: 'read-and-write', expiresInDays: 1, password: PASSWORD } as const;
  return makeApiKeys.create({ ...order, ...themselves(ownerId), idempotencyKey: undefined, ...part }, client());
}

/** Starts a rotation. By default, the old key works for an hour after the first use of its successor. */
export function rotateKey(
  { makeApiKeys }: Pick<Maker, 'makeApiKeys'>,
  { ownerId, id: keyId }: { readonly ownerId: string; readonly id: string },
  part: Partial<RotateApiKeyCommand> = {},
) {
  const order = { graceSeconds: 3600, expiresInDays: undefined, password: PASSWORD, idempotencyKey: undefined };
  return makeApiKeys.rotate({ ...order, ...themselves(ownerId), keyId, ...part }, client());
}

/** The result of a call: `ok`, or the code of its error. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'ok',
    (error: { code?: string; message?: string }) => error.code ?? String(error.message),
  );
}

/** Counts each outcome. */
export async function tally(calls: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const outcomes = await Promise.all(calls.map(outcomeOf));
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
