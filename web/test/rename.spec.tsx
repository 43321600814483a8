/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { ScriptedApi } from './support/api';
import { anApiKey, DAY_MS, iso } from './support/keys';
import { dialog, focusOn, openPanel, press, row, screen, user } from './support/screen';

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

  test('takes the place of the title, which still names the details, and has the only main button', async () => {
    api.keys = [anApiKey({ createdAt: iso(-60 * DAY_MS), expiresAt: iso(2.1 * DAY_MS) })];
    openPanel();
    await user.click((await row('CI deploy')).getByRole('link'));
    const details = await dialog('CI deploy');
    await details.findByRole('button', { name: 'Rotate…' });
    await press('Edit name and note', details);
    const name = await details.findByLabelText('Name');
    const heading = details.getByRole('heading', { name: 'CI deploy' });
    expect(heading.nextElementSibling?.contains(name)).toBe(true);
    expect(details.queryByRole('button', { name: 'Rotate…' })).toBeNull();
    await press('Cancel', details);
    await details.findByRole('button', { name: 'Rotate…' });
  });
});
