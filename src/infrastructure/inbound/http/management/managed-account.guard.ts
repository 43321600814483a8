import { applyDecorators, type CanActivate, type ExecutionContext, Injectable, UseGuards } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { type Acting, ManagedAccounts } from '../../../../application/managed-account.js';
import type { Account } from '../../../../domain/accounts/account.js';
import { requireFields } from '../../../../domain/errors.js';
import type { LatchkeyRequest } from '../pipeline/request.js';
import { ForOwners } from './owner.guard.js';

const ACCOUNT = {
  name: 'account',
  required: false,
  description: 'The id of a service account that the person manages: see GET /v1/accounts. Default: their own account',
  schema: { type: 'string' },
} as const;

/** Each request is about the keys of one account: the person's own, or one that `?account=` names. */
export const ForKeysOfAccount = () => applyDecorators(ForOwners(), UseGuards(ManagedAccountGuard), ApiQuery(ACCOUNT));

/** Runs after OwnerGuard. */
@Injectable()
export class ManagedAccountGuard implements CanActivate {
  constructor(private readonly managed: ManagedAccounts) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<LatchkeyRequest>();
    const { account: person } = request.session!;
    const id: unknown = request.query['account'] ?? person.id;
    requireFields({ account: typeof id === 'string' ? undefined : 'must be given once' });
    request.owner = await this.managed.find(person, id as string);
    return true;
  }
}

/** The account whose keys the request is about. A change checks it again when it has locked it. */
export function ownerIn({ owner }: LatchkeyRequest): Account {
  return owner!;
}

export function actingIn({ session, owner }: LatchkeyRequest): Acting {
  return { personId: session!.account.id, ownerId: owner!.id };
}
