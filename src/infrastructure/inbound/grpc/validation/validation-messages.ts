import type * as proto from '../generated/types.js';
import { type Arrived, codecOf, loadProto, serviceIn, wireNames } from '../protos.js';
import type { ReportedUses } from '#application/validation/report-uses.js';
import type { ValidationRequest } from '#application/validation/validate-key.js';
import { type Operation, OPERATIONS } from '#domain/keys/verdict.js';
import { isPermission } from '#domain/accounts/permission.js';
import { invalidFields } from '#domain/errors.js';
import { clientFacts, readBearer } from '../../shared/request-facts.js';

/** A question as decoded: absent fields are empty; enums are numbers, known or unknown. */
export interface WireQuestion extends Arrived, Omit<proto.ValidateKeyRequest__Output, 'operation' | 'leaseWish'> {
  readonly operation: number;
  /** The guard would hold a lease. */
  readonly leaseWish?: { readonly uses: number; readonly understands: readonly number[] } | null;
}

/** What a guard granted under leases. It has no answer but that it arrived. */
export interface WireReport {
  readonly uses: readonly (Omit<proto.KeyUses__Output, 'operation'> & { readonly operation: number })[];
}

/** A grant, and what the library writes as it is, after the other fields: permissions and attributes, see `grants`. */
export interface EncodedGrant extends proto.Grant {
  readonly $unknowns: readonly Buffer[];
}

export const VALIDATION_PROTO = 'latchkey/v1/api_key_service.proto';

const root = loadProto(VALIDATION_PROTO);
export const VALIDATION_SERVICE = serviceIn(root, 'latchkey.v1.ApiKeyService');
/** Encodes the lists of a grant, so that a list is encoded once and not for each answer. */
export const grants = codecOf<proto.Grant>(root.lookupType('latchkey.v1.Grant'));

/** The numbers of an enum's values, by our words. The generated type of an enum allows both names and numbers. */
export function numbersOf<Word extends string, Value extends string | number>(
  enumName: string,
  names: Readonly<Record<Word, Extract<Value, string>>>,
): Readonly<Record<Word, Extract<Value, number>>> {
  const { values } = root.lookupEnum(`latchkey.v1.${enumName}`);
  const numbers = Object.entries<string>(names).map(([word, name]) => [word, values[name]!]);
  return Object.fromEntries(numbers);
}

/** Our words for the numbers of an enum. Unspecified and unknown numbers have none. */
export function wordsOf<Word extends string>(numbers: Readonly<Record<Word, number>>): Readonly<Record<number, Word>> {
  return Object.fromEntries(Object.entries(numbers).map(([word, number]) => [number, word]));
}

const OPERATION = wordsOf(numbersOf<Operation, proto.Operation>('Operation', wireNames('OPERATION', OPERATIONS)));

const RESTRICTIONS = ['permissions', 'networks'] as const;
const RESTRICTION = wordsOf(
  numbersOf<(typeof RESTRICTIONS)[number], proto.KeyRestriction>(
    'KeyRestriction',
    wireNames('KEY_RESTRICTION', RESTRICTIONS),
  ),
);

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
    credential: credential === 'apiKey' ? apiKey : readBearer([authorization!]),
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
