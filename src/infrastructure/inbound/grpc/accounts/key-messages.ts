import type { KeyListing } from '#application/keys/shown-keys.js';
import type { KeyFromCode } from '#application/keys/keys-from-code.js';
import type { ListedKey } from '#application/lists.js';
import { ACCESS_LEVELS, type AccessLevel } from '#domain/accounts/access-level.js';
import { accountIdProblem } from '#domain/accounts/account-profile.js';
import { requireFields } from '#domain/errors.js';
import { API_KEY_STATUSES } from '#domain/keys/key-status.js';
import type * as proto from '../generated/types.js';
import { timestamp, wireNames } from '../protos.js';
import { ACCESS } from './account-messages.js';

const STATUS = wireNames('KEY_STATUS', API_KEY_STATUSES);

/** What a Timestamp may hold: the years 1 to 9999. */
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

export function keyListingOf(request: proto.ListKeysRequest__Output): KeyListing {
  const status = API_KEY_STATUSES.find((known) => STATUS[known] === request.status);
  const isKnown = status !== undefined || request.status === 'KEY_STATUS_UNSPECIFIED';
  const { ownerId, createdBy, prefix, pageSize, pageToken } = request;
  const lastUsedBefore = timeIn(request.lastUsedBefore);
  const expiresBefore = timeIn(request.expiresBefore);
  requireFields({
    ownerId: ownerId ? accountIdProblem(ownerId) : undefined,
    status: isKnown ? undefined : 'must be a status of a key',
    lastUsedBefore: timeProblem(lastUsedBefore),
    expiresBefore: timeProblem(expiresBefore),
    createdBy: createdBy ? accountIdProblem(createdBy) : undefined,
  });
  return {
    ownerId: ownerId || undefined,
    status,
    lastUsedBefore,
    expiresBefore,
    prefix: prefix || undefined,
    createdBy: createdBy || undefined,
    pageSize,
    pageToken: pageToken || undefined,
  };
}

export function orderedKey({ access, ...request }: proto.CreateKeyRequest__Output): KeyFromCode {
  return { ...request, access: accessIn(access) };
}

/** Undefined for an unspecified level, and for one of a later release. */
export function accessIn(wire: proto.AccessLevel): AccessLevel | undefined {
  return ACCESS_LEVELS.find((level) => ACCESS[level] === wire);
}

export function toWireKey({ key, access, lastUsedAt, now }: ListedKey): proto.Key {
  const { id, ownerId, name, createdAt, expiresAt, ...rest } = key.snapshot();
  const { revokedAt, endsAt, permissions, allowedNetworks } = rest;
  const pausedUntil = key.pausedUntil(now);
  return {
    id,
    ownerId,
    name,
    access: ACCESS[access],
    prefix: key.shown,
    status: STATUS[key.status(now)],
    createdAt: timestamp(createdAt),
    lastUsedAt: lastUsedAt && timestamp(lastUsedAt),
    expiresAt: timestamp(expiresAt),
    revokedAt: revokedAt && timestamp(revokedAt),
    endsAt: endsAt && timestamp(endsAt),
    permissions: [...(permissions ?? [])],
    allowedNetworks: [...(allowedNetworks ?? [])],
    imported: key.isImported,
    createdBy: key.createdBy,
    pausedUntil: pausedUntil && timestamp(pausedUntil),
  };
}

/** Rounded up: the times of keys are whole milliseconds, so the same ones are earlier. */
export function timeIn(wire: proto.Timestamp__Output | null): Date | undefined {
  return wire ? new Date(Number(wire.seconds) * 1000 + Math.ceil(wire.nanos / 1_000_000)) : undefined;
}

function timeProblem(time: Date | undefined): string | undefined {
  const ms = time?.getTime() ?? 0;
  return ms >= FIRST_MS && ms <= LAST_MS ? undefined : 'must be a time from the year 1 to 9999';
}
