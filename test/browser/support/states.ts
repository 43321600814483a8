import type { Page } from 'playwright-core';
import { putEvents, putHistory, putKeys, type EventRow, type HistoryRow, type KeyRow } from './rows.js';
import {
  button,
  chooseAction,
  dialog,
  fillCreate,
  openCreate,
  row,
  showDetails,
  shownKey,
  showEnded,
  showFilter,
} from './screen.js';
import type { Stage } from './stage.js';

/** Called in each state; leaves the page as it was. */
type Visit = (state: string, page: Page) => Promise<void>;

/** Busier on working days, and refused for a while. */
const BUSY = Array.from({ length: 80 }, (_, daysAgo) => ({
  daysAgo,
  granted: daysAgo % 7 > 4 ? daysAgo % 5 : 119 + ((daysAgo * 37) % 61) - daysAgo,
  refused: daysAgo > 22 && daysAgo < 29 ? 18 + ((daysAgo * 11) % 23) : 0,
}));
const NIGHTLY = Array.from({ length: 11 }, (_, n) => ({ daysAgo: n + 1, granted: 1, refused: 0 }));

const DEPLOY: KeyRow = {
  name: 'CI deploy',
  access: 'read-and-write',
  createdDaysAgo: 104,
  expiresInDays: 76,
  usedMinutesAgo: 3.2,
  shown: '7c1f4e0a9b2d',
  use: BUSY,
};
const BACKUP: KeyRow = {
  name: 'Backup script',
  createdDaysAgo: 12,
  expiresInDays: 9,
  usedMinutesAgo: 26 * 60,
  shown: 'e02b95d1c47a',
  use: NIGHTLY,
};

export const KEYS: readonly KeyRow[] = [
  DEPLOY,
  BACKUP,
  { name: 'Status dashboard', createdDaysAgo: 53, expiresInDays: 312, shown: '41d8a6f09c3e' },
  {
    name: 'Old laptop',
    createdDaysAgo: 130,
    expiresInDays: -2.2,
    usedMinutesAgo: 2.4 * 1440,
    shown: '9f3c60b7d2e1',
    use: BUSY.slice(0, 29).map(({ daysAgo, granted }) =>
      daysAgo > 2 ? { daysAgo, granted: granted >> 3, refused: 0 } : { daysAgo, granted: 0, refused: 14 },
    ),
  },
  {
    name: 'Leaked in a log',
    createdDaysAgo: 200,
    revokedDaysAgo: 5,
    usedMinutesAgo: 5.2 * 1440,
    shown: 'b5708ec1f2a9',
    use: BUSY.slice(6, 30).map((day) => ({ ...day, granted: day.granted >> 2, refused: 0 })),
  },
];

/** One whose new key is in use, and one whose new key is not. */
const ROTATING: readonly KeyRow[] = [
  {
    ...DEPLOY,
    createdDaysAgo: 0.13,
    expiresInDays: 89.87,
    usedMinutesAgo: 3.2,
    graceSeconds: 86_400,
    shown: 'd24f90b3c58e',
    use: [{ daysAgo: 0, granted: 31, refused: 0 }],
  },
  { ...DEPLOY, createdDaysAgo: 80.4, expiresInDays: 9.6, usedMinutesAgo: 125, endsInHours: 22.9 },
  { name: 'Backup script', createdDaysAgo: 0.02, expiresInDays: 29.98, graceSeconds: 604_800, shown: '50c7e1a8f3d6' },
  { ...BACKUP, createdDaysAgo: 21 },
  { name: 'Status dashboard', createdDaysAgo: 53, expiresInDays: 312, shown: '41d8a6f09c3e' },
];

/** Found in a repository, and still used by something. */
const LEAKED: KeyRow = {
  name: 'Shop checkout',
  access: 'read-and-write',
  createdDaysAgo: 61,
  expiresInDays: 29,
  revokedDaysAgo: 0.21,
  revokedReason: 'leaked',
  leak: { source: null, url: 'https://github.com/acme/shop' },
  usedMinutesAgo: 0.22 * 1440,
  shown: '2ab6d9f0e743',
  use: BUSY.slice(0, 30).map(({ daysAgo, granted }) => ({ daysAgo, granted, refused: daysAgo === 0 ? 14 : 0 })),
};

/** Where the key for CI was used. */
export const HISTORY: HistoryRow = {
  uses: [
    { clientIp: '203.0.113.7', service: 'systems-api', firstHoursAgo: 79 * 24, lastMinutesAgo: 3.2 },
    { clientIp: '2001:db8:85a3::8a2e:370:7334', service: 'billing', firstHoursAgo: 41 * 24, lastMinutesAgo: 340 },
    {
      ...{ clientIp: '198.51.100.24', firstHoursAgo: 24, lastMinutesAgo: 1300 },
      denied: { minutesAgo: 1320, reason: 'missing-permission', permission: 'billing/invoices:read' },
    },
    { clientIp: '192.0.2.80', firstHoursAgo: 26, denied: { minutesAgo: 1500, reason: 'rate-limited' } },
  ],
  days: [],
};

const RESOURCES = ['alerts', 'billing/invoices', 'billing/payments', 'reports', 'systems', 'systems-archive', 'users'];

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const SCREEN = { clientIp: '203.0.113.7', userAgent: FIREFOX };
const SCRIPT = { clientIp: '198.51.100.24', userAgent: 'curl/8.5.0' };

const EVENTS: readonly EventRow[] = [
  { type: 'api_key.created', keyName: 'CI deploy', minutesAgo: 104 * 1440, ...SCREEN },
  { type: 'api_key.created', keyName: 'Backup script', minutesAgo: 12 * 1440, ...SCREEN },
  { type: 'api_key.revoked', keyName: 'Leaked in a log', minutesAgo: 5 * 1440, ...SCREEN },
  {
    type: 'authentication.failed',
    keyName: 'Leaked in a log',
    reason: 'revoked',
    count: 14,
    minutesAgo: 7000,
    ...SCRIPT,
  },
  { type: 'api_key.expired', keyName: 'Old laptop', minutesAgo: 2.2 * 1440 },
  { type: 'authentication.failed', reason: 'incorrect-password', minutesAgo: 26 * 60, ...SCREEN },
  {
    type: 'authentication.failed',
    keyName: 'Old laptop',
    reason: 'expired',
    count: 42,
    minutesAgo: 12.2,
    ...SCRIPT,
  },
];

async function screenWith(
  stage: Stage,
  keys: readonly KeyRow[],
  events: readonly EventRow[] = [],
  history?: HistoryRow,
): Promise<{ page: Page }> {
  const owner = await stage.newOwner();
  await putKeys(stage.service, owner, keys);
  await putEvents(stage.service, owner, events);
  if (history) await putHistory(stage.service, owner, keys[0]!.shown!, history);
  const opened = await stage.open({ owner, prepare: offerHelp });
  await row(opened.page, keys[0]!.name).first().waitFor();
  return opened;
}

/** Each page, form and dialog of the screen, reached in the way that a person reaches it. */
export const ways: Readonly<Record<string, (stage: Stage, visit: Visit) => Promise<void>>> = {
  'signing in': async (stage, visit) => {
    const { page } = await stage.open({ signedIn: false });
    await button(page, 'Sign in').click();
    await page.getByText('Enter your email').waitFor();
    await visit('sign-in', page);
  },
  'before the first key': async (stage, visit) => {
    const { page } = await stage.open({ prepare: offerHelp });
    await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
    await visit('empty', page);
  },
  'looking at keys and their activity': async (stage, visit) => {
    const { page } = await screenWith(stage, KEYS, EVENTS, HISTORY);
    const details = await showDetails(page, 'CI deploy');
    await details.getByText('was created').waitFor();
    await button(details, 'Copy ID').waitFor();
    await details.getByRole('slider').focus();
    await page.keyboard.press('PageDown');
    await page.keyboard.press('PageDown');
    await page.keyboard.press('PageDown');
    await visit('key-details-usage', page);
    await page.keyboard.press('Escape');
    await dialog(page, 'CI deploy').waitFor({ state: 'detached' });
    await showEnded(page);
    await row(page, 'Leaked in a log').waitFor();
    await visit('list', page);
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByText('rejected: revoked').first().waitFor();
    await visit('activity', page);
  },
  'looking at keys that are being replaced': async (stage, visit) => {
    const { page } = await screenWith(stage, ROTATING);
    await row(page, 'Backup script').getByText('Waiting for the first use of the new key').waitFor();
    await visit('list-rotation', page);
  },
  'looking at a key that leaked': async (stage, visit) => {
    const { page } = await screenWith(stage, [DEPLOY, BACKUP, LEAKED]);
    await button(page, 'Replace…: Shop checkout').waitFor();
    await visit('list-leaked', page);
  },
  'looking at many keys': async (stage, visit) => {
    const use = [{ daysAgo: 0, granted: 1, refused: 0 }];
    const long = { name: 'A_name_of_sixty_four_characters_without_one_single_place_to_break', usedMinutesAgo: 1, use };
    const keys = Array.from({ length: 4 }, (_, n) => ({ name: `Key ${n}`, expiresInDays: n + 1 }));
    const { page } = await screenWith(stage, [long, ...keys, ...Array.from({ length: 9 }, revoked)]);
    await showFilter(page, 'All 14');
    await row(page, 'Former key 8').waitFor();
    await button(page, 'Actions for Key 0').click();
    await page.getByRole('menuitem', { name: 'Revoke…' }).waitFor();
    await visit('list-full', page);
  },
  'creating a key': async (stage, visit) => {
    const { page } = await screenWith(stage, KEYS);
    await openCreate(page);
    await page.getByRole('radio', { name: 'Custom' }).check();
    await page.getByLabel('Expiration date').fill('');
    await button(page, 'Create key').click();
    await page.getByText('Enter your password').waitFor();
    await visit('create-errors', page);
    await page.getByRole('radio', { name: '30 days' }).check();
    await fillCreate(page, { name: 'Nightly report' });
    await page.keyboard.press('Enter');
    await shownKey(page).waitFor();
    await visit('reveal', page);
    await revokeShown(stage, page);
  },
  'creating a key under limits of the account': async (stage, visit) => {
    const owner = await stage.newOwner();
    const { id, email } = owner;
    await owner.person.newKey({ name: 'Nightly report' });
    await stage.service.clients.putAccount({
      id,
      email,
      displayName: 'Ada Lovelace',
      permissions: ['systems:read', 'systems:write'],
      limits: { maxAccess: 'ACCESS_LEVEL_READ_ONLY', maxKeyDays: 30, maxActiveKeys: 2 },
    });
    const { page } = await stage.open({ owner });
    await openCreate(page);
    await page.getByLabel('Name', { exact: true }).fill('CI deploy');
    await page.getByText('Your organisation allows keys of at most 30 days.').scrollIntoViewIfNeeded();
    await visit('create-ceiling', page);
  },
  'limiting a key to permissions and networks': async (stage, visit) => {
    const owner = await stage.newOwner();
    const { id, email } = owner;
    const permissions = RESOURCES.flatMap((resource) => [`${resource}:read`, `${resource}:write`]);
    await stage.service.clients.putAccount({ id, email, displayName: 'Ada Lovelace', permissions });
    await owner.person.newKey({
      name: 'Nightly report',
      permissions: ['reports:read', 'systems/sys-1:read'],
      allowedNetworks: ['203.0.113.0/24', '2001:db8::/32'],
    });
    const { page } = await stage.open({ owner });
    await openCreate(page);
    await fillCreate(page);
    await page.getByRole('radio', { name: 'Only these' }).check();
    await page.getByRole('checkbox', { name: 'Read reports', exact: true }).check();
    await page.getByRole('textbox', { name: 'Allowed networks' }).fill('203.0.113.0/24');
    await button(page, 'Only one of them… systems').click();
    await visit('create-limited', page);
  },
  'revoking and rotating a key': async (stage, visit) => {
    const { page } = await screenWith(stage, KEYS);
    await chooseAction(page, 'CI deploy', 'Revoke…');
    const question = dialog(page, 'Revoke “CI deploy”?');
    await question.waitFor();
    await visit('revoke', page);
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await chooseAction(page, 'Status dashboard', 'Rotate…');
    await dialog(page, 'Rotate “Status dashboard”').waitFor();
    await visit('rotate-dialog', page);
  },
};

const revoked = (_: unknown, n: number): KeyRow => ({ name: `Former key ${n}`, revokedDaysAgo: n + 1 });

/** Revokes the shown key, because it can be read on a picture. */
async function revokeShown(stage: Stage, page: Page): Promise<void> {
  const { grant } = await stage.service.clients.validate((await shownKey(page).innerText()).trim());
  await page.evaluate(`fetch('/v1/api-keys/${grant?.keyId}/revoke', { method: 'POST' })`);
}

/** As where HELP_URL and DOCS_URL are set. */
async function offerHelp(page: Page): Promise<void> {
  await page.route('**/settings/api-keys', async (route) => {
    const response = await route.fetch();
    const offered = (text: string, name: string) =>
      text.replace(
        `"latchkey-${name}-url" content=""`,
        `"latchkey-${name}-url" content="https://${name}.example.com/"`,
      );
    await route.fulfill({ response, body: ['help', 'docs'].reduce(offered, await response.text()) });
  });
}
