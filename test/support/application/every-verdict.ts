import { DENIAL_REASONS } from '../../../src/domain/keys/verdict.js';
import { unknownKey } from '../callers/key-strings.js';
import { newOwner } from '../callers/owners.js';
import type { Service } from '../processes/service.js';
import { sql } from '../stores/sql.js';

/**
 * Sends questions until the service has answered with a grant, and with each reason for a denial at least once. Its
 * rate limit must have a small burst and a slow refill. Returns the used keys.
 */
export async function causeEveryVerdict(service: Service): Promise<string[]> {
  const owner = await newOwner(service, { permissions: ['systems:read', 'systems:write'] });
  const { person } = owner;
  const [good, revoked, expired, busy] = [
    await person.newKey({ access: 'read-only' }),
    await person.newKey(),
    await person.newKey(),
    await person.newKey(),
  ];
  await person.revoke(revoked.apiKey.id);
  await sql(service.databaseUrl, 'UPDATE api_keys SET expires_at = now() WHERE id = $1', [expired.apiKey.id]);
  const told: string[] = [];
  const ask = async (key: string, request = {}) => {
    const requestId = `question-${told.length}`;
    const { grant, denial } = await service.clients.validate(key, { requestId, ...request });
    told.push(grant ? 'granted' : denial!.reason);
  };

  await ask(good.fullKey);
  await ask(unknownKey());
  await ask(revoked.fullKey);
  await ask(expired.fullKey);
  await ask(good.fullKey, { operation: 'OPERATION_DESTROY' });
  await ask(good.fullKey, { operation: 'OPERATION_WRITE' });
  await ask(good.fullKey, { permission: 'reports:read' });
  // On a busy machine Redis may be late. Then the limit in the process counts.
  for (let asked = 0; asked < 50 && told.at(-1) !== 'REASON_RATE_LIMITED'; asked += 1) await ask(busy.fullKey);
  await service.clients.account('SuspendAccount', owner.id);
  await ask(good.fullKey);
  await service.clients.account('DeleteAccount', owner.id);
  await ask(good.fullKey);

  const missing = DENIAL_REASONS.filter(
    (reason) => !told.includes(`REASON_${reason.replaceAll('-', '_').toUpperCase()}`),
  );
  if (missing.length > 0) throw new Error(`nobody was told ${missing.join()}`);
  return [good, revoked, expired, busy].map(({ fullKey }) => fullKey);
}
