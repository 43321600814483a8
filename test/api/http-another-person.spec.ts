import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ADMIN, ADMIN_PROFILE, ADMIN_ROUTES, MANAGEMENT_ROUTES } from '../support/callers/management-routes.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

/** Signing in and out is not about a person whom the page shows. */
const CHANGING = [...MANAGEMENT_ROUTES, ...ADMIN_ROUTES].filter(
  ({ name, method }) => method !== 'GET' && !name.endsWith('/v1/session'),
);

describe('a change that is meant for another person', () => {
  let service: Service;
  let shown: Owner;
  let signedIn: Owner;
  beforeAll(async () => {
    service = await startService(ADMIN);
    [shown, signedIn] = [await newOwner(service), await newOwner(service, ADMIN_PROFILE)];
  });
  afterAll(() => service.stop());

  test.each(CHANGING)('is answered 409 and does nothing: $name', async ({ method, success, order }) => {
    const { apiKey } = await signedIn.person.newKey();
    const stored = () =>
      sql(service.databaseUrl, 'SELECT * FROM api_keys WHERE owner_id = $1 ORDER BY id', [signedIn.id]);
    const before = await stored();
    const { path, body } = order(signedIn, apiKey.id);
    const call = (...ids: string[]) => signedIn.person.call(method, path, body, { 'latchkey-person': ids.join(', ') });
    for (const ids of [[shown.id], [''], [signedIn.id, shown.id], [signedIn.id.toUpperCase()]]) {
      expect(await call(...ids)).toMatchObject({ status: 409, body: { code: 'another_person' } });
    }
    expect(await stored()).toEqual(before);
    expect((await call(signedIn.id)).status).toBe(success);
    for (const { id } of (await signedIn.person.list('?status=active')).items) await signedIn.person.revoke(id);
  });
});
