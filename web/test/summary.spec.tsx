/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ScriptedApi } from './support/api';
import { anApiKey, aRevokedKey, DAY_MS, iso } from './support/keys';
import { dialog, openPanel, press, row, user } from './support/screen';

let api: ScriptedApi;
beforeEach(() => {
  api = new ScriptedApi();
});

async function summary(): Promise<(string | null)[]> {
  await user.click((await row('CI deploy')).getByRole('link'));
  const [list] = (await dialog('CI deploy')).getAllByRole('list');
  return [...list!.children].map(({ textContent }) => textContent);
}

describe('the summary of a key, below its name,', () => {
  test.each([
    ['en', ['Active', 'read and write', '2 permissions', '1 network', 'expires in 5 days']],
    ['de', ['Aktiv', 'lesen/schreiben', '2 Berechtigungen', '1 Netz', 'läuft in 5 Tagen ab']],
  ] as const)('names its status, access, permissions, networks and expiry, in %s', async (language, facts) => {
    const limits = { permissions: ['reports:read', 'systems:write'], allowedNetworks: ['203.0.113.0/24'] };
    api.keys = [anApiKey({ access: 'read-and-write', ...limits, expiresAt: iso(5.1 * DAY_MS) })];
    openPanel({ language });
    expect(await summary()).toEqual(facts);
  });

  test('says what a key without limits may do', async () => {
    api.keys = [anApiKey()];
    openPanel();
    expect(await summary()).toEqual(['Active', 'everything you may read', 'any network', 'expires in 3 months']);
  });

  test('names no expiry of a revoked key', async () => {
    api.keys = [aRevokedKey()];
    openPanel();
    await press(/^Ended/);
    expect(await summary()).toEqual(['Revoked', 'everything you may read', 'any network']);
  });
});
