import { createHash, randomBytes } from 'node:crypto';
import type { ImportKeyRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ImportKeyRequest.js';
import type { ImportKeyResponse__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ImportKeyResponse.js';
import { DAY_MS } from '#domain/time.js';
import { bearer, type Clients } from './grpc-clients.js';

export const IMPORT_PREFIX = 'acme_live_';

/** A key string of another system. */
export const importedString = (): string => `${IMPORT_PREFIX}${randomBytes(20).toString('base64url')}`;

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** A request that is accepted if the owner exists. */
export function importOf(text: string, ownerId: string, part: ImportKeyRequest = {}): ImportKeyRequest {
  return {
    ownerId,
    name: 'CI deploy',
    access: 'ACCESS_LEVEL_READ_AND_WRITE',
    sha256: sha256(text),
    displayPrefix: text.slice(0, 14),
    expiresAt: { seconds: Math.floor((Date.now() + 30 * DAY_MS) / 1000) },
    permissions: ['*'],
    ...part,
  };
}

/** Sends all requests on one stream, and returns the responses. Rejects with the status of the stream. */
export function importKeys(
  { accounts }: Pick<Clients, 'accounts'>,
  requests: readonly ImportKeyRequest[],
  token = 'dev-importer-token',
): Promise<ImportKeyResponse__Output[]> {
  const stream = accounts.importKeys(bearer(token));
  return new Promise((resolve, reject) => {
    const responses: ImportKeyResponse__Output[] = [];
    stream.on('data', (response: ImportKeyResponse__Output) => responses.push(response));
    stream.on('error', reject).on('end', () => resolve(responses));
    for (const request of requests) stream.write(request);
    stream.end();
  });
}

/** Imports one key. Throws if it is refused. */
export async function importedKey(clients: Clients, ownerId: string, part: ImportKeyRequest = {}) {
  const text = importedString();
  const [response] = await importKeys(clients, [importOf(text, ownerId, part)]);
  if (!response?.keyId) throw new Error(response?.error);
  return { text, id: response.keyId };
}
