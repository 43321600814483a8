/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { beforeEach, expect, test } from '@jest/globals';
import { ScriptedApi } from './support/api';
import { anApiKey } from './support/keys';
import { dialog, fillCreate, openCreate, openPanel, press, screen, shownKey } from './support/screen';

const at = new Date().toISOString();
const lastDenial = { at, reason: 'missing-permission', operation: 'read', permission: 'systems:read' } as const;
const USE = { clientIp: '203.0.113.7', service: 'systems', firstAt: at, lastAt: at, lastDenial };

let api: ScriptedApi;
beforeEach(() => {
  api = new ScriptedApi();
});

test('a first request that was rejected is explained, and shown in the list too, without loading the page again', async () => {
  api.once('getKey', ({ id }) => {
    const day = new Date().toISOString().slice(0, 10);
    const refused = Array.from({ length: 30 }, (_, index) => (index === 29 ? 1 : 0));
    const key = api.change(id, { recent: { granted: api.key(id).recent.granted, refused } });
    return { ...key, permissions: ['systems/42:read'], uses: [USE], days: [{ day, granted: 0, refused: 1 }] };
  });
  openPanel();
  await openCreate();
  await fillCreate();
  const before = api.calls('getKey').length;
  await press('Create key');
  await shownKey();
  await screen.findByText(/: it lacks the permission systems:read; this key has systems\/42:read\. Waiting/);
  await screen.findByRole('img', { name: /1 rejected/ });
  expect(api.calls('getKey')[before]!.id).toBe(api.keys[0]!.id);
});

test.each([
  ['an active key shows how to use it', {}, true],
  [
    'an ended key shows no example',
    { status: 'revoked' as const, revokedAt: at, revokedReason: 'owner' as const },
    false,
  ],
])('in place of an empty chart, %s', async (_, part, isShown) => {
  api.keys = [anApiKey(part)];
  openPanel({ place: { tab: 'keys', status: 'all', keyId: api.keys[0]!.id } });
  const { findByRole, queryByText, queryByRole } = await dialog('CI deploy');
  await findByRole('button', { name: 'Copy ID' });
  expect(queryByText(/^Reads the key from your .env file/) !== null).toBe(isShown);
  expect(queryByRole('slider') === null).toBe(isShown);
});
