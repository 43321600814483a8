import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';
import { publishDry } from '../packages/fresh-clone.js';
import { exportedBy, filesIn } from '../packages/packed.js';
import { panelTypesInUse } from '../packages/panel-types-in-use.js';
import { newOwner, PASSWORD, type Owner } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';
import { axe } from './support/axe.js';
import { changedOutside, latinOn, roomAround, unruly } from './support/bare-page.js';
import { PHONE, wider } from './support/look.js';
import { Platform } from './support/platform.js';
import { greek } from './support/other-words.js';
import { putHistory, putKeys } from './support/rows.js';
import { button, createDialog, fillCreate, keyLink, openCreate, row, shownKey, storeKey } from './support/screen.js';
import { shoot } from './support/screenshots.js';
import { Stage } from './support/stage.js';
import { HISTORY, KEYS } from './support/states.js';

/** The size of the pictures, so that they are small. */
const SMALL = { width: 860, height: 480 };
/** Latin letters that are not the panel's own words: prefixes and ids of keys, permissions, the time zone, the person's browser, languages. */
const DATA =
  /lk_[0-9a-f]+…|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|UTC|[a-z/]+:read|^Chrome, Linux$|^(\.env|curl|Node\.js|Python)$/g;
const tsc = join(root, 'node_modules/typescript/bin/tsc');
/** A strict project's options, which checks its libraries' declarations too. */
const strictOptions = {
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  jsx: 'react-jsx',
  strict: true,
  noEmit: true,
  types: [],
};

let platform: Platform;
beforeAll(async () => void (platform = await Platform.start()));
afterAll(() => platform?.stop());

describe('the packed panel in a page without styles', () => {
  let service: Service;
  let stage: Stage;
  let owner: Owner;
  beforeAll(async () => {
    service = await startService({ ...platform.env, PASSWORD_SIGN_IN: 'on' });
    stage = await Stage.start(service, platform.url);
    owner = await newOwner(service);
    await putKeys(service, owner, KEYS);
    platform.signedIn = owner.id;
  });
  afterEach(() => stage.clear());
  afterAll(() => stage?.stop());

  const visit = (name: 'bare' | 'words', words?: string, options: BrowserContextOptions = {}) =>
    stage.visit(platform.pageNamed(name, service, words), { options: { viewport: SMALL, ...options } });

  test('is built by the commands in its README, and contains what it exports and no source', async () => {
    const packed = join(platform.pages.project.folder, 'node_modules/@latchkey/panel');
    const files = filesIn(packed);
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', ...exportedBy(packed)]));
    expect(
      files.filter((file) => !/^(LICENSE|README\.md|package\.json|lib\/dist\/.+\.(js|css|d\.ts))$/.test(file)),
    ).toEqual([]);
    expect(await publishDry(platform.pages.obtained.clone, '@latchkey/panel')).toEqual([]);
  });

  test('has types that the page in its README conforms to', async () => {
    const { project } = platform.pages;
    project.write('in-use.tsx', panelTypesInUse);
    for (const module of ['esnext', 'node16']) {
      const moduleResolution = module === 'esnext' ? 'bundler' : module;
      const compilerOptions = { ...strictOptions, module, moduleResolution };
      project.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['main.tsx', 'in-use.tsx'] }));
      // In one thread: several threads would each check much of it again.
      const { output } = await run(process.execPath, [tsc, '-p', '.', '--singleThreaded'], { cwd: project.folder });
      expect({ module, output }).toEqual({ module, output: '' });
    }
  });

  test('stays within its own element, and changes nothing else on the page', async () => {
    const page = await visit('bare');
    await row(page, 'CI deploy').waitFor();
    expect([await unruly(page), await changedOutside(page)]).toEqual([[], []]);
    await shoot(page, 'panel');
    await button(page, 'Actions for CI deploy').click();
    expect(await unruly(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await openCreate(page);
    await fillCreate(page, { password: '' });
    await button(page, 'Create key').click();
    for (const size of [SMALL, PHONE]) {
      expect(await wider(page, size)).toEqual([]);
      expect(await unruly(page)).toEqual([]);
      expect(await roomAround(page)).toBeGreaterThanOrEqual(12);
    }
    // Only in the light scheme: axe assumes a white page where no style sheet sets another background.
    expect((await axe(page)).violations).toEqual([]);
    await button(page, 'Cancel').click();
    await createDialog(page).waitFor({ state: 'detached' });
    await page.setViewportSize(PHONE);
    await page.mouse.move(0, 0);
    await shoot(page, 'panel-360');
    await page.setViewportSize(SMALL);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('[data-mantine-color-scheme="dark"]').first().waitFor();
    await shoot(page, 'panel-dark');
  });

  test('shows the keys of a service account to its manager, and keeps the choice to itself', async () => {
    const bot = { id: `bot|${randomUUID()}` };
    const permissions = ['systems:read', 'systems:write'];
    const kind = 'ACCOUNT_KIND_SERVICE';
    await service.clients.putAccount({
      ...bot,
      kind,
      displayName: 'CI bot',
      permissions,
      managers: { ids: [owner.id] },
    });
    const page = await visit('bare');
    const address = page.url();
    await row(page, 'CI deploy').waitFor();
    await page.getByRole('combobox', { name: 'Keys of' }).selectOption({ label: 'CI bot' });
    await page.getByRole('heading', { name: 'API keys of CI bot', exact: true }).waitFor();
    await openCreate(page);
    await page.getByText('This key belongs to CI bot. It keeps working when you leave.').waitFor();
    await fillCreate(page, { name: 'Nightly build' });
    await button(page, 'Create key').click();
    const { grant } = await service.clients.validate((await shownKey(page).innerText()).trim());
    expect(grant?.ownerId).toBe(bot.id);
    await storeKey(page);
    await row(page, 'Nightly build').waitFor();
    expect([await unruly(page), await changedOutside(page), page.url()]).toEqual([[], [], address]);
    const { id: successor } = await newOwner(service);
    await service.clients.putAccount({ ...bot, permissions, managers: { ids: [successor] } });
    // The details close as soon as their answer is there.
    await keyLink(page, 'Nightly build').click();
    await page.getByText('You no longer manage CI bot').waitFor();
    await row(page, 'CI deploy').waitFor();
  });

  test('uses only the texts that it is given', async () => {
    const other = await newOwner(service);
    platform.signedIn = other.id;
    await putKeys(
      service,
      other,
      [...KEYS, { ...KEYS[0]!, graceSeconds: 3600 }, KEYS[0]!].map((key, index) => ({
        ...key,
        name: `№ ${index}`,
        shown: String(index).repeat(12),
      })),
    );
    const page = await visit('words', 'greek', { locale: 'el-GR' });
    const press = (name: string) => button(page, greek(name)).click();
    const seen = async () =>
      (await latinOn(page)).filter(
        (text) => !text.startsWith('Mozilla/') && /[a-z]{2}/i.test(text.replaceAll(DATA, '')),
      );
    await row(page, '№ 0').waitFor();
    expect(await seen()).toEqual([]);
    await button(page, `${greek('Actions for')} № 0`).click();
    await page.getByRole('menuitem', { name: greek('Revoke…') }).click();
    await page.getByRole('dialog').waitFor();
    expect(await seen()).toEqual([]);
    await press('Cancel');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    for (const [name, action] of [
      ['№ 1', 'Rotate…'],
      ['№ 5', 'End the old key now…'],
    ] as const) {
      await button(page, `${greek('Actions for')} ${name}`).click();
      await page.getByRole('menuitem', { name: greek(action) }).click();
      await page.getByRole('dialog').waitFor();
      expect(await seen()).toEqual([]);
      await press('Cancel');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await putHistory(service, other, '0'.repeat(12), { ...HISTORY, uses: HISTORY.uses.slice(2) });
    await keyLink(page, '№ 0').click();
    await page.getByRole('slider', { name: greek('Requests per day') }).waitFor();
    expect(await seen()).toEqual([]);
    await button(page.getByRole('dialog'), greek('Close')).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await press('Create API key');
    await press('Create key');
    await page.getByText(greek('Enter your password')).waitFor();
    expect(await seen()).toEqual([]);
    await page.locator('input[name="name"]').fill('№ 9');
    await page.locator('input[name="password"]').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText(greek('Incorrect password')).waitFor();
    await page.locator('input[name="password"]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText(greek('You’ll see this key only once. Copy it now.')).waitFor();
    expect(await seen()).toEqual([]);
    await press('Copy key');
    await press('Done');
    await page.getByRole('tab', { name: greek('Activity') }).click();
    await page.getByText(greek('was created')).first().waitFor();
    expect(await seen()).toEqual([]);
  });

  test('is light in a page that does not support a dark scheme', async () => {
    platform.signedIn = owner.id;
    const page = await visit('words', 'german', { locale: 'de-DE', colorScheme: 'dark' });
    await row(page, 'CI deploy').waitFor();
    // The page's own text stays black on white.
    await page.locator('[data-mantine-color-scheme="light"]').first().waitFor();
    await shoot(page, 'panel-german');
  });
});
