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

export interface KnownKey {
  readonly id: string;
  readonly fullKey: string;
  /** Whether the key is a successor. */
  readonly isSuccessor: boolean;
}

/** Longer than any history, in seconds. */
const GRACE_SECONDS = 86_400;
const METHODS = { get: 'GetAccount', suspend: 'SuspendAccount', reactivate: 'ReactivateAccount' } as const;

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

  answerTo(action: OwnerAction): Promise<OwnerAction['answer']> {
    switch (action.kind) {
      case 'put':
        return accountOf(this.any().service.clients.putAccount(this.profile(action.permissions, action.plan)));
      case 'get':
      case 'suspend':
      case 'reactivate':
        return accountOf(this.any().service.clients.account(METHODS[action.kind], this.id));
      case 'create':
        return this.change('', { name: 'CI', access: 'read-and-write', expiresInDays: 1, password: PASSWORD });
      case 'rotate':
        return this.change(`/${action.keyId}/rotate`, {
          graceSeconds: action.hasGrace ? GRACE_SECONDS : 0,
          password: PASSWORD,
        });
      case 'revoke':
        return this.change(`/${action.keyId}/revoke`);
      case 'validate':
        return this.validate(action.keyId, action.permission);
    }
  }

  private profile(permissions: readonly string[], plan: string | undefined): PutAccountRequest {
    const profile = { id: this.id, email: `${this.id}@example.org`, displayName: 'Ada', passwordHash: CHEAP_HASH };
    const account = { ...profile, permissions: [...permissions] };
    if (plan === undefined) return account;
    const maxAccess = plan.startsWith('read-only') ? 'ACCESS_LEVEL_READ_ONLY' : 'ACCESS_LEVEL_READ_AND_WRITE';
    return { ...account, limits: { maxAccess }, attributes: { items: [{ name: 'plan', value: plan }] } };
  }

  /** Changes the owner's keys. */
  private async change(path: string, order?: object) {
    const headers = { authorization: `Bearer ${await this.token}` };
    const answer = await this.any().service.person().call('POST', `/v1/api-keys${path}`, order, headers);
    const { status: code, body } = answer;
    const isRevocation = path.endsWith('/revoke');
    if (code === 503) return undefined;
    if (code !== (isRevocation ? 200 : 201)) return refusalOf(path, answer);
    if (isRevocation) return 'revoked';
    const { apiKey, fullKey } = body as CreatedApiKeyView;
    this.keys.push({ id: apiKey.id, fullKey, isSuccessor: path.endsWith('/rotate') });
    return { keyId: apiKey.id };
  }

  private async validate(keyId: string, permission: string): Promise<Verdict | undefined> {
    const { fullKey } = this.keys.find(({ id }) => id === keyId)!;
    const { service, stream } = this.any();
    const request = { apiKey: fullKey, operation: 'OPERATION_READ', permission } as const;
    const answer = randomInt(2) === 0 ? service.clients.validateRequest(request) : stream.validate(request);
    return verdictOf(await unlessUnavailable(answer));
  }

  private any(): Instance {
    return this.instances[randomInt(this.instances.length)]!;
  }
}

function refusalOf(path: string, { status: code, body }: Answer) {
  if (code === 401) return 'owner-not-active';
  if (code === 429 && !path.endsWith('/revoke')) return 'too-many-attempts';
  if (code === 409 && path === '') return 'full';
  if (code === 409) return path.endsWith('/rotate') && body.code === 'rotation_pending' ? 'pending' : 'not-active';
  if (code === 400 && path === '' && body.errors[0].field === 'access') return 'above-plan';
  throw new Error(`answered ${code} ${JSON.stringify(body)}`);
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
  const plan = attributes?.items[0]?.value ?? '';
  return { status: word === 'ACCOUNT_STATUS_ACTIVE' ? 'active' : 'suspended', permissions, plan };
}

function verdictOf(answer: ValidateKeyResponse__Output | undefined): Verdict | undefined {
  const { grant, denial } = answer ?? {};
  const { keyId, permissions, attributes } = grant ?? {};
  if (keyId && permissions) return { granted: { keyId, permissions, plan: attributes?.[0]?.value ?? '' } };
  return denial ? { denied: denial.reason } : undefined;
}
