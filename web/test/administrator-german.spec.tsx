/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { expect, test } from '@jest/globals';
import { App } from '../src/page/App';
import { ScriptedApi } from './support/api';
import { anApiKey, iso } from './support/keys';
import { dialog, openPage, PASSWORD, press, screen, type, user } from './support/screen';

// The texts of administrators are loaded once, in the language of the page.
test('an administrator ends several keys in German', async () => {
  const api = new ScriptedApi();
  api.session = { ...api.session!, isAdministrator: true };
  const owner = { id: 'bo', email: 'bo@example.com', displayName: 'Bo', kind: 'person', status: 'active' } as const;
  const keys = ['Job 1', 'Job 2'].map((name) => ({ ...anApiKey({ name }), owner }));
  api.always('findKeys', { items: keys, nextCursor: null, now: iso(0) });
  api.always('endKeys', { revoked: keys.map(({ id }) => id), failed: [] });
  history.replaceState(null, '', '/settings/api-keys?tab=all-keys');
  openPage(<App />, 'de');
  for (const { name } of keys) await user.click(await screen.findByRole('checkbox', { name: `„${name}“ auswählen` }));
  screen.getByText('2 Schlüssel ausgewählt');
  await press('2 Schlüssel widerrufen…');
  const form = await dialog('2 Schlüssel widerrufen?');
  form.getByRole('list', { name: 'Zu widerrufende Schlüssel' });
  await type('Ihr Passwort', PASSWORD);
  await press('2 Schlüssel widerrufen', form);
  await screen.findByText('2 von 2 sind beendet');
  expect(form.getAllByText('Widerrufen')).toHaveLength(2);
});
