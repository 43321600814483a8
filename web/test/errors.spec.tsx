/** @jest-environment @happy-dom/jest-environment */
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { ScriptedApi } from './support/api';
import { choose, fillCreate, focusOn, openCreate, openPanel, press, screen } from './support/screen';

let api: ScriptedApi;
const shown = jest.fn<(this: Element, how: unknown) => void>();
beforeEach(() => {
  api = new ScriptedApi();
  shown.mockClear();
  Element.prototype.scrollIntoView = shown;
});

describe('an error in the form for a new key', () => {
  test('about permissions stands before their list, and its field is scrolled to the middle and focused', async () => {
    api.permissions = ['systems:read', 'systems:write'];
    openPanel();
    await openCreate();
    await fillCreate();
    await choose('Only these');
    const list = await screen.findByRole('grid', { name: 'Permissions' });
    await press('Create key');
    const error = await screen.findByText('Choose at least one permission, or everything');
    expect(error.compareDocumentPosition(list) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    const only = screen.getByRole('radio', { name: 'Only these' });
    await focusOn(() => only);
    expect(shown.mock.contexts).toContain(only);
    expect(shown).toHaveBeenLastCalledWith({ block: 'center' });
    expect(api.calls('createKey')).toHaveLength(0);
  });
});
