import type { ReportedUses } from '#application/validation/report-uses.js';
import type { ValidationRequest } from '#application/validation/validate-key.js';
import type { Operation } from '#domain/keys/access.js';
import { isPermission } from '#domain/accounts/permission.js';
import { invalidFields } from '#domain/errors.js';
import { clientFacts, readBearer } from '../../shared/request-facts.js';
import type * as proto from '../generated/types.js';
import { numbersOf, type WireQuestion, type WireReport } from './validation-messages.js';

const wireOperation = numbersOf<proto.Operation>('Operation');

/** OPERATION_UNSPECIFIED and unknown numbers are not in here. */
const OPERATION: Readonly<Record<number, Operation>> = {
  [wireOperation.OPERATION_READ]: 'read',
  [wireOperation.OPERATION_WRITE]: 'write',
  [wireOperation.OPERATION_DESTROY]: 'destroy',
  [wireOperation.OPERATION_MANAGE_API_KEYS]: 'manage-api-keys',
  [wireOperation.OPERATION_MANAGE_ACCOUNT]: 'manage-account',
  [wireOperation.OPERATION_IMPERSONATE]: 'impersonate',
};

const wireRestriction = numbersOf<proto.KeyRestriction>('KeyRestriction');

/** Restrictions that this release does not know are not in here. */
const RESTRICTION: Readonly<Record<number, string>> = {
  [wireRestriction.KEY_RESTRICTION_PERMISSIONS]: 'permissions',
  [wireRestriction.KEY_RESTRICTION_NETWORKS]: 'networks',
};

/** Entries of one report. */
const MAX_USES = 200;

/**
 * Throws `invalid_fields` for a broken call. An unreadable credential is not an error here: the use case denies it.
 * @param service the caller
 */
export function readRequest(wire: WireQuestion, service: string): ValidationRequest {
  const operation = OPERATION[wire.operation];
  const { credential, permission, leaseWish } = wire;
  if (!credential || !operation || (permission && !isPermission(permission))) throw brokenCall(wire);
  const client = clientFacts({ ip: wire.clientIp, userAgent: wire.userAgent, requestId: wire.requestId });
  return {
    credential: credential === 'apiKey' ? wire.apiKey : readBearer([wire.authorization!]),
    question: { operation, permission, clientAddress: client.ip },
    client,
    service,
    arrivedAt: wire.arrivedAt,
    leaseWish: leaseWish ? { uses: leaseWish.uses, understands: restrictionsIn(leaseWish.understands) } : undefined,
  };
}

function restrictionsIn(numbers: readonly number[]): ReadonlySet<string> {
  return new Set(numbers.flatMap((each) => RESTRICTION[each] ?? []));
}

/** Throws `invalid_fields` for more entries than a report may have. */
export function readReport({ uses }: WireReport): readonly ReportedUses[] {
  if (uses.length > MAX_USES) throw invalidFields([{ field: 'uses', message: `has more than ${MAX_USES} entries` }]);
  return uses.map(({ credential, apiKey, authorization, clientIp, count, lastMsAgo, permission, operation }) => ({
    credential: credential === 'apiKey' ? apiKey : readBearer([authorization]),
    clientIp: clientFacts({ ip: clientIp, userAgent: undefined, requestId: undefined }).ip,
    count,
    lastMsAgo,
    permission: permission ?? null,
    operation: OPERATION[operation],
  }));
}

/** As logs and the audit trail have it, even when the question cannot be read. */
export function requestIdOf({ requestId }: WireQuestion): string | undefined {
  return clientFacts({ ip: undefined, userAgent: undefined, requestId }).requestId ?? undefined;
}

function brokenCall({ credential, operation, permission }: WireQuestion): Error {
  const errors = [];
  if (!credential) errors.push({ field: 'credential', message: 'is unset: set api_key or authorization' });
  if (!OPERATION[operation]) errors.push({ field: 'operation', message: 'must be one of the named operations' });
  if (permission && !isPermission(permission)) {
    errors.push({ field: 'permission', message: 'must read resource:action' });
  }
  return invalidFields(errors);
}
