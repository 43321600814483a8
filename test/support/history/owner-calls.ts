import { randomInt } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import type { Account__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/Account.js';
import type { PutAccountRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/PutAccountRequest.js';
import type { ValidateKeyResponse__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyResponse.js';
import type { CreatedApiKeyView } from '#infrastructure/inbound/http/management/views.js';
import { PASSWORD } from '../application/calls.js';
import { CHEAP_HASH } from '../application/cheap.mjs';
import type { Answer } from '../callers/person.js';
import type { ValidationStream } from '../callers/validation-stream.js';
import type { Service } from '../processes/service.js';
import type { AccountAnswer, OwnerAction, Verdict } from './owner-model.js';

export interface Instance {
  readonly service: Service;
  readonly stream: ValidationStream;
}

type AnswerTo<Kind extends OwnerAction['kind']> = Promise<(OwnerAction & { kind: Kind })['answer']>;

export interface KnownKey {
  readonly id: string;
  readonly fullKey: string;
  /** Whether the key is a successor. */
  readonly isSuccessor: boolean;
}

/** Longer than any history, in seconds. */
const GRACE_SECONDS = 86_400;

/**
 * The calls about one owner, each to a random instance, with answers in the terms of the model. The answer of an
 * unanswered call is undefined. An answer that a service must never give, with or without faults, is thrown.
 */
export class OwnerCalls {
  /** The keys whose creation was answered. */
  readonly keys: KnownKey[] = [];

  /** @param token of the platform, which replaces a sign-in */
  constructor(
    private readonly instances: readonly Instance[],
    private readonly id: string,
    private readonly token: Promise<string>,
  ) {}

  put(permissions: readonly string[], plan: string | undefined): AnswerTo<'put'> {
    const profile = { id: this.id, email: `${this.id}@example.org`, displayName: 'Ada', passwordHash: CHEAP_HASH };
    const given = { ...profile, permissions: [...permissions], ...(plan !== undefined && entitlementsOf(plan)) };
    return accountOf(this.any().service.clients.putAccount(given));
  }

  /** Reads the account or changes its status. */
  account(kind: 'get' | 'suspend' | 'reactivate'): AnswerTo<'get'> {
    const method = ({ get: 'GetAccount', suspend: 'SuspendAccount', reactivate: 'ReactivateAccount' } as const)[kind];
    return accountOf(this.any().service.clients.account(method, this.id));
  }

  async create(): AnswerTo<'create'> {
    const order = { name: 'CI', access: 'read-and-write', expiresInDays: 1, password: PASSWORD };
    const { status: code, body } = await this.call('/v1/api-keys', order);
    if (code === 503) return undefined;
    if (code === 401) return 'owner-not-active';
    if (code === 409) return 'full';
    if (code === 429) return 'too-many-attempts';
    if (code === 400 && body.errors[0].field === 'access') return 'above-plan';
    const { apiKey, fullKey } = expected(201, code, body) as CreatedApiKeyView;
    this.keys.push({ id: apiKey.id, fullKey, isSuccessor: false });
    return { keyId: apiKey.id };
  }

  async rotate(keyId: string, hasGrace: boolean): AnswerTo<'rotate'> {
    const order = { graceSeconds: hasGrace ? GRACE_SECONDS : 0, password: PASSWORD };
    const { status: code, body } = await this.call(`/v1/api-keys/${keyId}/rotate`, order);
    if (code === 503) return undefined;
    if (code === 401) return 'owner-not-active';
    if (code === 409) return body.code === 'rotation_pending' ? 'pending' : 'not-active';
    if (code === 429) return 'too-many-attempts';
    const { apiKey, fullKey } = expected(201, code, body) as CreatedApiKeyView;
    this.keys.push({ id: apiKey.id, fullKey, isSuccessor: true });
    return { keyId: apiKey.id };
  }

  async revoke(keyId: string): AnswerTo<'revoke'> {
    const { status: code, body } = await this.call(`/v1/api-keys/${keyId}/revoke`);
    if (code === 503) return undefined;
    if (code === 401) return 'owner-not-active';
    if (code === 409) return 'not-active';
    expected(200, code, body);
    return 'revoked';
  }

  async validate({ fullKey }: KnownKey, permission: string): Promise<Verdict | undefined> {
    const { service, stream } = this.any();
    const request = { apiKey: fullKey, operation: 'OPERATION_READ', permission } as const;
    const answer = randomInt(2) === 0 ? service.clients.validateRequest(request) : stream.validate(request);
    return verdictOf(await unlessUnavailable(answer));
  }

  private any(): Instance {
    return this.instances[randomInt(this.instances.length)]!;
  }

  private async call(path: string, body?: object): Promise<Answer> {
    const headers = { authorization: `Bearer ${await this.token}` };
    return this.any().service.person().call('POST', path, body, headers);
  }
}

async function unlessUnavailable<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if ((error as { code?: number }).code === status.UNAVAILABLE) return undefined;
    throw error;
  }
}

async function accountOf(call: Promise<Account__Output>): Promise<AccountAnswer | undefined> {
  const account = await unlessUnavailable(call);
  if (!account) return undefined;
  const { status: word, permissions, attributes } = account;
  const plan = planIn(attributes?.items);
  return { status: word === 'ACCOUNT_STATUS_ACTIVE' ? 'active' : 'suspended', permissions, plan };
}

function entitlementsOf(plan: string): PutAccountRequest {
  const maxAccess = plan.startsWith('read-only') ? 'ACCESS_LEVEL_READ_ONLY' : 'ACCESS_LEVEL_READ_AND_WRITE';
  return { limits: { maxAccess }, attributes: { items: [{ name: 'plan', value: plan }] } };
}

function planIn(attributes: readonly { readonly value: string }[] = []): string {
  return attributes[0]?.value ?? '';
}

function verdictOf(answer: ValidateKeyResponse__Output | undefined): Verdict | undefined {
  const { grant, denial } = answer ?? {};
  const { keyId, permissions, attributes } = grant ?? {};
  if (keyId && permissions) return { granted: { keyId, permissions, plan: planIn(attributes) } };
  return denial ? { denied: denial.reason } : undefined;
}

function expected(wanted: number, code: number, body: unknown): unknown {
  if (code !== wanted) throw new Error(`answered ${code} ${JSON.stringify(body)}`);
  return body;
}
