import { randomInt } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import type { Account__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/Account.js';
import type { PutAccountRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/PutAccountRequest.js';
import type { ValidateKeyResponse__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyResponse.js';
import { PASSWORD } from '../application/calls.js';
import { CHEAP_HASH } from '../application/cheap.mjs';
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

/** The calls about one owner, each to a random instance, with answers in the terms of the model. */
export class OwnerCalls {
  /** The keys whose creation was answered. */
  readonly keys: KnownKey[] = [];

  /** @param token of the platform, which replaces a sign-in */
  constructor(
    private readonly instances: readonly Instance[],
    private readonly id: string,
    private readonly token: Promise<string>,
  ) {}

  /** Returns undefined if the call was not answered. Throws an answer that a service must never give. */
  async answerTo(action: OwnerAction): Promise<OwnerAction['answer']> {
    try {
      return await this.send(action, this.instances[randomInt(this.instances.length)]!);
    } catch (error) {
      if ((error as { code?: unknown }).code === status.UNAVAILABLE) return undefined;
      throw error;
    }
  }

  private async send(action: OwnerAction, { service, stream }: Instance): Promise<OwnerAction['answer']> {
    const { clients } = service;
    switch (action.kind) {
      case 'put':
        return accountOf(await clients.putAccount(this.profile(action)));
      case 'create':
        return this.change(service, '', { name: 'CI', access: 'read-and-write', expiresInDays: 1 });
      case 'rotate':
        return this.change(service, `/${action.keyId}/rotate`, { graceSeconds: action.hasGrace ? GRACE_SECONDS : 0 });
      case 'revoke':
        return this.change(service, `/${action.keyId}/revoke`);
      case 'validate': {
        const { fullKey } = this.keys.find(({ id }) => id === action.keyId)!;
        const request = { apiKey: fullKey, operation: 'OPERATION_READ', permission: action.permission } as const;
        return verdictOf(await (randomInt(2) === 0 ? clients.validateRequest(request) : stream.validate(request)));
      }
      default:
        return accountOf(await clients.account(METHODS[action.kind], this.id));
    }
  }

  private profile({ permissions, plan }: OwnerAction & { kind: 'put' }): PutAccountRequest {
    const profile = { id: this.id, email: `${this.id}@example.org`, displayName: 'Ada', passwordHash: CHEAP_HASH };
    const account = { ...profile, permissions: [...permissions] };
    if (plan === undefined) return account;
    const maxAccess = plan.startsWith('read-only') ? 'ACCESS_LEVEL_READ_ONLY' : 'ACCESS_LEVEL_READ_AND_WRITE';
    return { ...account, limits: { maxAccess }, attributes: { items: [{ name: 'plan', value: plan }] } };
  }

  /** Changes the owner's keys. */
  private async change(service: Service, path: string, order?: object) {
    const headers = { authorization: `Bearer ${await this.token}` };
    const confirmed = order && { ...order, password: PASSWORD };
    const answer = await service.person().call('POST', `/v1/api-keys${path}`, confirmed, headers);
    if (answer.status === 503) return undefined;
    const { apiKey, fullKey, code } = answer.body;
    if (answer.status >= 400) return code as string;
    if (!order) return 'revoked';
    this.keys.push({ id: apiKey.id, fullKey, isSuccessor: path !== '' });
    return { keyId: apiKey.id as string };
  }
}

function accountOf({ status: word, permissions, attributes }: Account__Output): AccountAnswer {
  const plan = attributes?.items[0]?.value ?? '';
  return { status: word === 'ACCOUNT_STATUS_ACTIVE' ? 'active' : 'suspended', permissions, plan };
}

function verdictOf({ grant, denial }: ValidateKeyResponse__Output): Verdict {
  if (!grant) return { denied: denial!.reason };
  const { keyId, permissions, attributes } = grant;
  return { granted: { keyId, permissions, plan: attributes[0]?.value ?? '' } };
}
