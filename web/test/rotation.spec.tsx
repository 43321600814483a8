/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { expect, test } from '@jest/globals';
import { ScriptedApi } from './support/api';
import { anApiKey, DAY_MS, HOUR_MS, iso } from './support/keys';
import { dialog, openPanel, row, user, within } from './support/screen';

const WORDS = {
  en: ['Rotation', 'Still calling with the old key', 'Only the new key', 'via api', /last seen 2 hours ago/],
  de: [
    'Rotation',
    'Ruft noch mit dem alten Schlüssel auf',
    'Nur der neue Schlüssel',
    'über api',
    /zuletzt .*vor 2 Stunden/,
  ],
} as const;

async function openRotation(language: 'en' | 'de', usedHoursAgo: number, endsAt: string | null = null) {
  const api = new ScriptedApi();
  const old = anApiKey({ createdAt: iso(-60 * DAY_MS), endsAt });
  const next = anApiKey({ createdAt: iso(-DAY_MS), replaces: old.id, graceSeconds: 3600 });
  api.keys = [next, { ...old, replacedBy: next.id }];
  const use = {
    clientIp: '203.0.113.9',
    service: 'api',
    firstAt: iso(-40 * DAY_MS),
    lastAt: iso(-usedHoursAgo * HOUR_MS),
  };
  api.histories = {
    [old.id]: { uses: [use, { ...use, clientIp: '198.51.100.7', lastAt: iso(-9 * DAY_MS) }], days: [] },
  };
  openPanel({ language });
  await user.click((await row('CI deploy')).getByRole('link', { name: 'CI deploy' }));
  return within(await (await dialog('CI deploy')).findByRole('region', { name: WORDS[language][0] }));
}

test.each(['en', 'de'] as const)(
  'the details show the way of a rotation, and who still calls with the old key (%s)',
  async (language) => {
    const [, callers, last, via, seen] = WORDS[language];
    const section = await openRotation(language, 2.1, iso(3 * HOUR_MS));
    const steps = within(section.getAllByRole('list')[0]!).getAllByRole('listitem');
    expect(steps.map((step) => step.getAttribute('aria-current'))).toEqual([null, 'step', null]);
    expect(steps[2]!.textContent).toContain(last);
    expect(steps[2]!.textContent).toMatch(/in 3 (hours|Stunden)/);
    const calls = within(section.getByRole('list', { name: callers })).getAllByRole('listitem');
    expect(calls).toHaveLength(1);
    expect(calls[0]!.textContent).toContain('203.0.113.9');
    within(calls[0]!).getByText(via);
    within(calls[0]!).getByText(seen);
  },
);

test('the details say that nobody has called with the old key since the new one was made, and how long it still works', async () => {
  const section = await openRotation('en', 48);
  section.getByText(/^Nobody has called with the old key since the rotation, .* ago\.$/);
  section.getByText('Until 1 hour after the new key is used');
});
