import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DAY_MS } from '#domain/time.js';
import { newOwner } from '../support/callers/owners.js';
import { WebhookServer } from '../support/platform/webhook-receiver.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

describe('A service with REVOKE_IDLE_AFTER_DAYS=14', () => {
  let receiver: WebhookServer;
  let service: Service;
  beforeAll(async () => {
    receiver = await WebhookServer.start();
    service = await startService({ ...receiver.env, REVOKE_IDLE_AFTER_DAYS: '14' });
  });
  afterAll(async () => {
    await service.stop();
    await receiver.stop();
  });

  test('shows in lists, details and the policy when a key ends unless it is used', async () => {
    const { person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    expect(apiKey).toMatchObject({ idleEndsAt: null });
    const later = `date_trunc('second', clock_timestamp()) + interval '1 hour'`;
    const [notice] = await sql<{ at: Date }>(
      service.databaseUrl,
      `INSERT INTO idle_notices VALUES ($1, ${later}) RETURNING written_at AS at`,
      [apiKey.id],
    );
    const idleEndsAt = new Date(notice!.at.getTime() + 7 * DAY_MS).toISOString();
    const { body } = await person.call('GET', '/v1/api-keys');
    expect(body).toMatchObject({ items: [{ idleEndsAt }], policy: { revokeIdleAfterDays: 14 } });
    const shown = async () => (await person.call('GET', `/v1/api-keys/${apiKey.id}`)).body;
    expect(await shown()).toMatchObject({ idleEndsAt });
    await sql(service.databaseUrl, `INSERT INTO api_key_usage (key_id, last_used_at) VALUES ($1, ${later})`, [
      apiKey.id,
    ]);
    expect(await shown()).toMatchObject({ idleEndsAt: null });
  });
});
