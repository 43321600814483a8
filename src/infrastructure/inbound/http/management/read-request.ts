import type { PageRequest } from '../../../../application/lists.js';
import { API_KEY_STATUSES, type ApiKeyStatus } from '../../../../domain/keys/key-status.js';
import type { EventFilter } from '../../../../application/ports.js';
import { isKeyId } from '../../../../domain/keys/key-rules.js';
import { OWNER_EVENT_TYPES, type OwnerEventType } from '../../../../domain/audit/audit-event.js';
import { requireFields } from '../../../../domain/errors.js';
import { noSuchKey } from '../../../../domain/keys/owner-keys.js';
import { withoutSecrets } from '../../../../domain/secrets.js';

const PAGE_SIZE = 50;

export type Query = Readonly<Record<string, unknown>>;

export function readPage({ limit, cursor }: Query): PageRequest {
  const size =
    limit === undefined ? PAGE_SIZE : typeof limit === 'string' && /^\d{1,2}$/.test(limit) ? Number(limit) : 0;
  requireFields({
    limit: size >= 1 && size <= PAGE_SIZE ? undefined : `must be a whole number from 1 to ${PAGE_SIZE}`,
    cursor: cursor === undefined || typeof cursor === 'string' ? undefined : 'must be given once',
  });
  return { limit: size, cursor: cursor as string | undefined };
}

export function readStatus({ status }: Query): ApiKeyStatus | undefined {
  const isKnown = status === undefined || API_KEY_STATUSES.some((known) => known === status);
  requireFields({ status: isKnown ? undefined : `must be one of ${API_KEY_STATUSES.join(', ')}` });
  return status as ApiKeyStatus | undefined;
}

export function readEventFilter({ type, keyId }: Query): Partial<EventFilter> {
  const types = readEventTypes(type);
  const id = typeof keyId === 'string' ? keyId.toLowerCase() : '';
  requireFields({ keyId: keyId === undefined || isKeyId(id) ? undefined : 'must be the id of a key, given once' });
  return { ...(types && { types }), ...(keyId !== undefined && { keyId: id }) };
}

/** One or more values, comma-separated, so that the parameter is given once, like every other. */
export function readEventTypes(type: unknown): OwnerEventType[] | undefined {
  if (type === undefined) return undefined;
  const named = typeof type === 'string' ? type.split(',') : [];
  const known = named.flatMap((name) => OWNER_EVENT_TYPES.find((each) => each === name) ?? []);
  const isKnown = named.length > 0 && known.length === named.length;
  requireFields({
    type: isKnown ? undefined : `must be one or more of ${OWNER_EVENT_TYPES.join(', ')}, comma-separated`,
  });
  return known;
}

/** Letter case does not matter. A text that cannot be an id gets the answer for an unknown key. */
export function readKeyId(id: string): string {
  const keyId = id.toLowerCase();
  if (!isKeyId(keyId)) throw noSuchKey();
  return keyId;
}

/** Stored as sent. Quotes are optional, unlike in the IETF draft "The Idempotency-Key HTTP Header Field". */
export function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  requireFields({ 'Idempotency-Key': idempotencyKeyProblem(header) });
  return header;
}

function idempotencyKeyProblem(header: string): string | undefined {
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) return 'must be 1 to 255 visible ASCII characters';
  return withoutSecrets(header) === header ? undefined : 'must not contain an API key: use a new value, such as a UUID';
}
