import { DENIAL_REASONS } from '#domain/keys/verdict.js';
import { unknownKey } from '../support/callers/key-strings.js';
import { newOwner } from '../support/callers/owners.js';
import type { Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

/**
 * Validates keys until the service has answered with a grant, and with each reason for a denial at least once. Its
 * rate limit must have a small burst and a slow refill. Returns the used keys.
 */
export async function causeEveryVerdict(service: Service): Promise<string[]> {
  const owner = await newOwner(service, { permissions: ['systems:read', 'systems:write'] });
  const { person } = owner;
  const endedKey = async () => {
    const key = await person.newKey();
    await person.revoke(key.apiKey.id);
    return key;
  };
  const [good, elsewhere, revoked, expired, paused, busy] = [
    await person.newKey({ access: 'read-only' }),
    await person.newKey({ allowedNetworks: ['203.0.113.0/24'] }),
    // No account may have more than five active keys.
    await endedKey(),
    await person.newKey(),
    await person.newKey(),
    await person.newKey(),
  ];
  await person.call('POST', `/v1/api-keys/${paused.apiKey.id}/pause`, { minutes: 60 });
  await sql(service.databaseUrl, 'UPDATE api_keys SET expires_at = now() WHERE id = $1', [expired.apiKey.id]);
  const outcomes: string[] = [];
  const validate = async (key: string, request = {}) => {
    const requestId = `validation-${outcomes.length}`;
    const { grant, denial } = await service.clients.validate(key, { requestId, ...request });
    outcomes.push(grant ? 'granted' : denial!.reason);
  };

  await validate(good.fullKey);
  await validate(unknownKey());
  await validate(elsewhere.fullKey, { clientIp: '198.51.100.1' });
  await validate(revoked.fullKey);
  await validate(expired.fullKey);
  await validate(paused.fullKey);
  await validate(good.fullKey, { operation: 'OPERATION_DESTROY' });
  await validate(good.fullKey, { operation: 'OPERATION_WRITE' });
  await validate(good.fullKey, { permission: 'reports:read' });
  // On a busy machine Redis may be late. Then the service uses the limit of its own process.
  for (let count = 0; count < 50 && outcomes.at(-1) !== 'REASON_RATE_LIMITED'; count += 1) await validate(busy.fullKey);
  await service.clients.account('SuspendAccount', owner.id);
  await validate(good.fullKey);
  await service.clients.account('DeleteAccount', owner.id);
  await validate(good.fullKey);

  const missing = DENIAL_REASONS.filter(
    (reason) => !outcomes.includes(`REASON_${reason.replaceAll('-', '_').toUpperCase()}`),
  );
  if (missing.length > 0) throw new Error(`no validation was denied with ${missing.join()}`);
  return [good, elsewhere, revoked, expired, paused, busy].map(({ fullKey }) => fullKey);
}
