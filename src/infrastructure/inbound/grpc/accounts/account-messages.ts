import type { AccountListing } from '#application/accounts/find-accounts.js';
import type { PutAccountCommand } from '#application/accounts/put-account.js';
import { type Account, ACCOUNT_STATUSES } from '#domain/accounts/account.js';
import { ACCOUNT_KINDS, accountIdProblem } from '#domain/accounts/account-profile.js';
import { type AccountLimits, type EveryLimit, givenLimits } from '#domain/accounts/entitlements.js';
import { ACCESS_LEVELS } from '#domain/accounts/access-level.js';
import { invalidFields, requireFields } from '#domain/errors.js';
import { isKeyId } from '#domain/keys/key-rules.js';
import type * as proto from '../generated/types.js';
import { wireNames } from '../protos.js';

const STATUS = wireNames('ACCOUNT_STATUS', ACCOUNT_STATUSES);
const KIND = wireNames('ACCOUNT_KIND', ACCOUNT_KINDS);
export const ACCESS = wireNames('ACCESS_LEVEL', ACCESS_LEVELS);

export function toWire(account: Account): proto.Account {
  const { id, email, displayName, permissions, status, version, limits, attributes, kind, managers } = account;
  const { maxAccess, ...numbers } = limits;
  const ceiling = maxAccess && { maxAccess: ACCESS[maxAccess] };
  return {
    id,
    email,
    displayName,
    permissions: [...permissions],
    status: STATUS[status],
    version: version.toString(),
    ...(Object.keys(limits).length > 0 && { limits: { ...numbers, ...ceiling } }),
    ...(attributes.length > 0 && { attributes: { items: [...attributes] } }),
    kind: KIND[kind],
    origin: account.origin === 'platform' ? 'ACCOUNT_ORIGIN_PLATFORM' : 'ACCOUNT_ORIGIN_SIGN_IN',
    ...(managers.length > 0 && { managers: { ids: [...managers] } }),
  };
}

/** Absent messages are null, absent numbers 0. */
export function accountIn(request: proto.PutAccountRequest__Output): PutAccountCommand {
  const { limits, attributes, managers, ...account } = request;
  return {
    ...account,
    version: versionOf(request),
    limits: limits ? limitsIn(limits) : undefined,
    attributes: attributes?.items,
    kind: known(request.kind, KIND, { kind: 'must be a kind of account' }),
    managers: managers?.ids,
  };
}

/** The value with this name on the wire; undefined if it is unspecified. A number is a value of a later release. */
function known<Value extends string>(
  wire: string,
  names: Readonly<Record<Value, unknown>>,
  problem: Readonly<Record<string, string>>,
): Value | undefined {
  const value = (Object.keys(names) as Value[]).find((each) => names[each] === wire);
  if (value === undefined && !String(wire).endsWith('_UNSPECIFIED')) requireFields(problem);
  return value;
}

/** The compiler reports a limit that the domain or the proto has alone. */
function limitsIn({
  requestsPerSecond,
  burst,
  maxAccess: level,
  maxKeyDays,
  maxActiveKeys,
  noNewKeys,
}: proto.Limits__Output): AccountLimits {
  const maxAccess = known(level, ACCESS, { 'limits.maxAccess': 'must be an access level' });
  const every: EveryLimit = {
    requestsPerSecond,
    burst,
    maxAccess,
    maxKeyDays,
    maxActiveKeys,
    noNewKeys,
  } satisfies Record<keyof proto.Limits__Output, unknown>;
  return givenLimits(Object.fromEntries(Object.entries(every).filter(([, limit]) => limit !== 0)));
}

export interface VersionedId {
  readonly id: string;
  /** The proto loader delivers a uint64 as text. */
  readonly version?: string | undefined;
}

export function idOf({ id }: VersionedId): string {
  requireFields({ id: accountIdProblem(id) });
  return id;
}

export function versionOf({ version }: Pick<VersionedId, 'version'>): bigint | undefined {
  return version === undefined ? undefined : BigInt(version);
}

export function listingOf(request: proto.ListAccountsRequest__Output): AccountListing {
  const status = known(request.status, STATUS, { status: 'must be a status of an account' });
  const { email, pageSize, pageToken } = request;
  return { status, email: email || undefined, pageSize, pageToken: pageToken || undefined };
}

type KeysToRevoke =
  | { readonly keyId: string; readonly ownerId?: never }
  | { readonly keyId?: never; readonly ownerId: string };

export function keysToRevoke({ keyId, ownerId }: proto.RevokeKeysRequest__Output): KeysToRevoke {
  if (ownerId !== undefined) {
    requireFields({ ownerId: accountIdProblem(ownerId) });
    return { ownerId };
  }
  if (keyId === undefined) throw invalidFields([{ field: 'keyId', message: 'or owner_id is required' }]);
  const id = keyId.toLowerCase();
  requireFields({ keyId: isKeyId(id) ? undefined : 'must be the id of a key, a UUID' });
  return { keyId: id };
}
