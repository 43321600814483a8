/** @jest-environment @happy-dom/jest-environment */
import { beforeEach, expect, test } from '@jest/globals';
import { ScriptedApi } from './support/api';
import { fillCreate, openCreate, openPanel, press, screen, shownKey } from './support/screen';

let api: ScriptedApi;
beforeEach(() => {
  api = new ScriptedApi();
});

test('a first request that was rejected is shown in the list too, without loading the page again', async () => {
  api.once('getKey', ({ id }) => {
    const day = new Date().toISOString().slice(0, 10);
    const refused = Array.from({ length: 30 }, (_, index) => (index === 29 ? 1 : 0));
    const key = api.change(id, { recent: { granted: api.key(id).recent.granted, refused } });
    return { ...key, uses: [], days: [{ day, granted: 0, refused: 1 }] };
  });
  openPanel();
  await openCreate();
  await fillCreate();
  const before = api.calls('getKey').length;
  await press('Create key');
  await shownKey();
  await screen.findByRole('img', { name: /1 rejected/ });
  expect(api.calls('getKey')[before]!.id).toBe(api.keys[0]!.id);
});
