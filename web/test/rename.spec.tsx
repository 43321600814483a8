/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { ScriptedApi } from './support/api';
import { anApiKey } from './support/keys';
import { focusOn, openPanel, press, screen, user } from './support/screen';

let api: ScriptedApi;
const shown = jest.fn<(this: Element, how: unknown) => void>();
beforeEach(() => {
  api = new ScriptedApi();
  shown.mockClear();
  Element.prototype.scrollIntoView = shown;
});

describe('renaming a key', () => {
  test('scrolls to the field of the name, which may be above what is in sight', async () => {
    api.keys = [anApiKey()];
    openPanel();
    await user.click(await screen.findByRole('link', { name: 'CI deploy' }));
    await screen.findByRole('dialog', { name: 'CI deploy' });
    await press('Edit name and note');
    const name = await screen.findByLabelText<HTMLInputElement>('Name');
    await focusOn(() => name);
    expect(shown.mock.contexts).toEqual([name]);
    expect(name.selectionEnd).toBe('CI deploy'.length);
  });
});
