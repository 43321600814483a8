/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { AuditEvent } from '../src/api/types';
import { ScriptedApi } from './support/api';
import { anApiKey, anEvent, HOUR_MS, iso, MINUTE_MS } from './support/keys';
import { openPanel, press, screen, user, waitFor, within } from './support/screen';

const KEY = anApiKey({ name: 'CI deploy' });
const OTHER = anApiKey({ name: 'Another' });

let api: ScriptedApi;
beforeEach(() => {
  api = new ScriptedApi();
  api.keys = [KEY, OTHER];
});

const refused = (given: Partial<AuditEvent> = {}) =>
  anEvent({ type: 'authentication.failed', keyId: KEY.id, reason: 'expired', ...given });
const revoked = (given: Partial<AuditEvent>) => anEvent({ type: 'api_key.revoked', keyId: KEY.id, ...given });

async function openActivity(): Promise<void> {
  openPanel();
  await user.click(await screen.findByRole('tab', { name: 'Activity' }));
}

const list = async () => within(await screen.findByRole('list', { name: 'Activity' }));
const lines = async () => (await list()).getAllByRole('listitem');
const sentences = async () => (await lines()).map((line) => line.querySelector('div')?.textContent);

/** Answers each call with one page of 50 of the events that fit it, as the service does. */
function answerInPages(): void {
  api.always('listEvents', ({ query: { type = '', keyId, cursor = '0' } }) => {
    const fitting = api.events.filter(
      (event) => (!type || type.split(',').includes(event.type)) && (!keyId || event.keyId === keyId),
    );
    const end = Number(cursor) + 50;
    const nextCursor = fitting.length > end ? String(end) : null;
    return { items: fitting.slice(Number(cursor), end), nextCursor, now: iso(0) };
  });
}

describe('the activity', () => {
  test('has the button for a new key and the count of keys, as the list has', async () => {
    await openActivity();
    screen.getByText('2 active keys, 3 more possible');
    await press('Create API key');
    await screen.findByRole('dialog', { name: 'Create API key' });
  });

  test('lists events as sentences, with when, which key and from where', async () => {
    api.events = [
      refused({ reason: 'revoked', at: iso(0), clientIp: '203.0.113.7', userAgent: 'curl/8.5.0' }),
      revoked({ reason: 'owner' }),
      anEvent({ type: 'authentication.failed', reason: 'incorrect-password' }),
      anEvent({ type: 'api_key.first_used', keyId: KEY.id }),
      anEvent({ type: 'api_key.created', keyId: KEY.id }),
    ];
    await openActivity();
    expect(await sentences()).toEqual([
      'CI deploy rejected: revoked',
      'Key CI deploy was revoked',
      'Wrong password for your account',
      'Key CI deploy was used for the first time',
      'Key CI deploy was created',
    ]);
    const days = screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent);
    expect(days[0]).toBe('today');
    const links = (await list()).getAllByRole('link').map((link) => link.getAttribute('href'));
    expect(links).toEqual(Array.from({ length: 4 }, () => `?key=${KEY.id}`));
    const first = within((await lines())[0]!);
    for (const fact of [/now|seconds? ago/, new RegExp(KEY.prefix), '203.0.113.7', 'curl/8.5.0']) first.getByText(fact);
  });

  test('names who revoked a key, and only says that it was revoked if the reason is missing or unknown', async () => {
    const leak = { source: '<b>scanner</b>', url: 'https://git.example.com/a#L1' };
    api.events = [
      revoked({ reason: 'administrator' }),
      revoked({ reason: 'platform' }),
      revoked({ reason: 'leaked', leak }),
      revoked({ reason: 'rotated' }),
      revoked({ reason: 'owner' }),
      revoked({ reason: 'of-a-newer-service' as AuditEvent['reason'] }),
      revoked({ reason: null }),
    ];
    await openActivity();
    const plain = 'Key CI deploy was revoked';
    expect(await sentences()).toEqual([
      `${plain} by an administrator`,
      `${plain} by your platform`,
      `${plain} because it leaked`,
      `${plain}: a new key replaced it`,
      plain,
      plain,
      plain,
    ]);
    const texts = (await lines()).map(({ textContent }) => textContent ?? '');
    expect(texts.flatMap((text, n) => (text.includes('Automatic') ? [n] : []))).toEqual([3]);
    // Only of the leak. A stranger may have written it: no markup, and the site that the link leads to learns nothing.
    expect(texts.flatMap((text, n) => (text.includes('Found') ? [n] : []))).toEqual([2]);
    expect(texts[2]).toMatch(/Found by <b>scanner<\/b>/);
    const link = (await list()).getByRole('link', { name: `${leak.url} (opens in a new tab)` });
    const facts = ['href', 'target', 'rel'].map((name) => link.getAttribute(name));
    expect(facts).toEqual([leak.url, '_blank', 'noopener noreferrer']);
  });

  test('makes a link only of an https address at which a key was found', async () => {
    const urls = ['javascript:alert(1)', 'http://git.example.com/a', 'data:text/html,x', 'HTTPS:git.example.com/a'];
    api.events = urls.map((url) => revoked({ reason: 'leaked', leak: { source: null, url } }));
    await openActivity();
    const texts = (await lines()).map(({ textContent }) => textContent);
    urls.forEach((url, n) => expect(texts[n]).toContain(url));
    const links = (await list()).queryAllByRole('link').map(({ textContent }) => textContent);
    expect(links).toEqual(urls.map(() => KEY.name));
  });

  test('has pages, and can be filtered by kind and key', async () => {
    api.events = [
      ...Array.from({ length: 60 }, (_, n) => refused({ clientIp: `203.0.113.${n}` })),
      refused({ keyId: OTHER.id }),
      anEvent({ type: 'api_key.created', keyId: KEY.id }),
    ];
    answerInPages();
    await openActivity();
    const show = async (kind: string) => user.click(await screen.findByRole('radio', { name: kind }));
    const expectLines = (count: number) => waitFor(async () => expect(await lines()).toHaveLength(count));
    await expectLines(50);
    expect(await sentences()).not.toContain('Key CI deploy was created');
    await show('Changes');
    await expectLines(1);
    expect(await sentences()).toEqual(['Key CI deploy was created']);
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
    await show('Rejected');
    await expectLines(50);
    await press('Show more');
    await expectLines(61);
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
    expect(await sentences()).not.toContain('Key CI deploy was created');
    const key = screen.getByLabelText('Key');
    await user.selectOptions(key, OTHER.id);
    await expectLines(1);
    expect(await sentences()).toEqual(['Another rejected: expired']);
    await user.selectOptions(key, '');
    await expectLines(61);
  });

  test('shows equal refusals as one line with their number and both times, across pages too', async () => {
    const from = { clientIp: '203.0.113.7' };
    api.events = [
      refused({ ...from, at: iso(-1.2 * MINUTE_MS) }),
      refused({ ...from, at: iso(-2.2 * MINUTE_MS), reason: 'revoked' }),
      ...Array.from({ length: 70 }, (_, n) =>
        refused({ ...from, at: iso((-35.5 - 3 * n) * MINUTE_MS), count: n === 66 ? 2000 : 1 }),
      ),
      anEvent({ type: 'api_key.expired', keyId: KEY.id, at: iso(-5.1 * HOUR_MS) }),
    ];
    answerInPages();
    await openActivity();
    within((await lines())[2]!).getByText('48 times');
    await press('Show more');
    await waitFor(async () => expect(await sentences()).toContain('Key CI deploy expired'));
    expect(await lines()).toHaveLength(4);
    const together = within((await lines())[2]!);
    for (const text of ['2,069 times', '35 minutes ago', 'first 4 hours ago', '203.0.113.7']) together.getByText(text);
  });

  test('says that it is empty, for all events and for one kind', async () => {
    await openActivity();
    await screen.findByText(/^No activity yet\./);
    await user.click(screen.getByRole('radio', { name: 'Rejected' }));
    await screen.findByText(/^No rejected requests yet\./);
  });
});
