/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ScriptedApi } from './support/api';
import { aRevokedKey } from './support/keys';
import { openPanel, screen } from './support/screen';

let api: ScriptedApi;
beforeEach(() => {
  api = new ScriptedApi();
});

describe('a list without active keys', () => {
  test('of a suspended service account does not explain how to begin', async () => {
    const service = { id: 'shop', displayName: 'Shop', kind: 'service', status: 'suspended' } as const;
    api.accounts = [...api.accounts, service];
    openPanel({ place: { tab: 'keys', status: 'all', account: 'shop' }, onPlace: () => {} });
    await screen.findByText(/^No active keys\./);
    expect(screen.queryByText('No API keys yet')).toBeNull();
    expect(screen.queryByRole('button', { name: /^Create/ })).toBeNull();
  });

  test('says what that means, where keys have ended', async () => {
    api.keys = [aRevokedKey()];
    openPanel();
    await screen.findByText('No active keys. No program can call the API as you.');
  });
});
