import { randomBytes } from 'node:crypto';
import type { Page, Request } from 'playwright-core';
import { newOwner, type Owner } from '#test/support/callers/owners.js';
import { startService } from '#test/support/processes/service.js';
import { record } from './network.js';
import { button, dialog } from './screen.js';
import { Stage } from './stage.js';

export const ADMIN_PERMISSION = 'api-keys:administer';

const isOfAdministrators = (request: Request) => new URL(request.url()).pathname.startsWith('/v1/admin/');

/** A service whose administrators are those with a permission of their own. */
export const startAdministration = async (): Promise<Stage> => Stage.start(await startService({ ADMIN_PERMISSION }));

const newAdministrator = ({ service }: Stage): Promise<Owner> =>
  newOwner(service, { displayName: 'Grace Hopper', permissions: [ADMIN_PERMISSION, 'systems:read'] });

/** An account without a password. Its email is empty. */
export async function newServiceAccount(
  { service }: Stage,
  displayName: string,
  manager: Owner,
): Promise<{ id: string }> {
  const id = `bot-${randomBytes(6).toString('hex')}`;
  await service.clients.putAccount({ id, displayName, kind: 'ACCOUNT_KIND_SERVICE', managers: { ids: [manager.id] } });
  return { id };
}

interface Opening {
  readonly locale?: string;
  readonly tab?: 'all-keys' | 'audit';
}

/** The tab, opened by an administrator. */
export async function openAllKeys(stage: Stage, search = '', { tab = 'all-keys', ...options }: Opening = {}) {
  const administrator = await newAdministrator(stage);
  let calls: Request[] = [];
  const { page } = await stage.open({
    owner: administrator,
    options,
    prepare: async (opened) => {
      calls = record(opened, isOfAdministrators);
    },
  });
  await page
    .getByRole('tab')
    .nth(tab === 'audit' ? 3 : 2)
    .click();
  if (search !== '') await page.goto(`${stage.service.url}/settings/api-keys?tab=${tab}&${search}`);
  /** Paths and queries, in their order. */
  const asked = () => calls.map((request) => request.url().slice(`${stage.service.url}/v1/admin`.length));
  return { page, administrator, asked };
}

export const searchField = (page: Page) => page.getByLabel('Owner or key prefix', { exact: true });

/** Finds the keys of an owner, or those with a prefix. */
export async function find(page: Page, text: string): Promise<void> {
  await searchField(page).fill(text);
  await page.keyboard.press('Enter');
}

export async function openFilters(page: Page) {
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  return page.getByRole('dialog', { name: 'Filter' });
}

/** Waits until the list has these keys and no others. */
export async function expectKeys(page: Page, names: readonly string[]): Promise<void> {
  const shown = names.length === 1 ? '1 key shown' : `${names.length} keys shown`;
  await page.getByRole('status').getByText(shown, { exact: true }).waitFor({ state: 'attached' });
  const headers = page.getByRole('rowheader').getByRole('link');
  const found = await headers.allInnerTexts();
  if (found.toSorted().join() !== names.toSorted().join())
    throw new Error(`${found.join()} instead of ${names.join()}`);
}

export async function openDrawer(page: Page, keyName: string) {
  await page.getByRole('rowheader').getByRole('link', { name: keyName, exact: true }).click();
  const drawer = dialog(page, keyName);
  await button(drawer, 'Copy ID').waitFor();
  return drawer;
}
