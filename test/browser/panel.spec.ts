import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page, Request } from 'playwright-core';
import { startService, type Service } from '../support/processes/service.js';
import { look } from './support/look.js';
import { LONG_AGO_SECONDS, Platform } from './support/platform.js';
import { isCreation, isRotation } from './support/network.js';
import { countKeys, putKeys } from './support/rows.js';
import {
  button,
  chooseAction,
  createDialog,
  openCreate,
  row,
  showDetails,
  shownKey,
  storeKey,
} from './support/screen.js';
import { Stage } from './support/stage.js';

/** A day, so that no sign-in of this test expires on a slow machine. */
const RULE = { CONFIRMATION_MAX_AGE_SECONDS: '86400', CONFIRMATION_ACR_VALUES: 'urn:example:gold,phr' };
const NOT_SIGNED_IN = 'You didn’t sign in again, so no key was created.';

let platform: Platform;
beforeAll(async () => void (platform = await Platform.start()));
afterAll(() => platform?.stop());

describe("the panel in a platform's page of another origin", () => {
  let service: Service;
  let stage: Stage;
  let requests: Request[] = [];
  beforeAll(async () => {
    service = await startService({ ...platform.env, ...RULE });
    stage = await Stage.start(service, platform.url);
  });
  afterEach(async () => {
    // The address, too: it must not contain anything of a person's sign-in.
    const ofPerson = requests.filter((request) => request.resourceType() !== 'script');
    const sent = ofPerson.map((request) => `${request.url()} ${request.postData() ?? ''}`);
    requests = [];
    platform.reset();
    expect(sent.filter((text) => /password/i.test(text))).toEqual([]);
    await stage.clear();
  });
  afterAll(() => stage?.stop());

  const newId = () => `auth0|${randomUUID()}`;
  const openAccount = async (id = newId()) => {
    await service.clients.putAccount({ id, email: `${randomUUID()}@example.com`, permissions: ['systems:read'] });
    return { id };
  };
  const visit = (id: string) =>
    stage.visit(platform.pageOf(id, service), {
      prepare: async (page) => page.context().on('request', (request) => requests.push(request)),
    });
  const fillIn = async (page: Page) => {
    await openCreate(page);
    await page.getByLabel('Name', { exact: true }).fill('Nightly report');
    await page.getByRole('radio', { name: '30 days' }).check();
  };
  const expectFilled = async (page: Page) => {
    expect(await page.locator('input[name="name"]').inputValue()).toBe('Nightly report');
    expect(await page.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true);
  };
  /** Presses the button, and waits for the platform's own window. */
  const signInWindow = async (page: Page, press = 'Create key') => {
    const opening = page.waitForEvent('popup');
    await button(page, press).click();
    return opening;
  };
  const creations = () => requests.filter(isCreation);

  test('makes a key after the person has signed in again, and keeps what was typed', async () => {
    const owner = await openAccount();
    const page = await visit(owner.id);
    const address = page.url();
    await fillIn(page);
    expect(await page.locator('input[type="password"]').count()).toBe(0);
    await look('panel-create', page);
    const signIn = await signInWindow(page);
    expect(Object.fromEntries(new URL(signIn.url()).searchParams)).toMatchObject({
      max_age: '86400',
      acr_values: 'urn:example:gold phr',
    });
    await page.getByText('Waiting for you to sign in again').waitFor();
    await expectFilled(page);
    await button(signIn, 'Sign in').click();
    const { grant } = await service.clients.validate((await shownKey(page).innerText()).trim());
    expect(grant?.ownerId).toBe(owner.id);
    expect(await countKeys(service, owner)).toEqual({ all: 1, active: 1 });
    expect(creations().map((request) => request.headers()['idempotency-key'])).toEqual([
      expect.any(String),
      creations()[0]!.headers()['idempotency-key'],
    ]);
    await storeKey(page);
    await row(page, 'Nightly report').waitFor();

    // The sign-in is still fresh.
    await chooseAction(page, 'Nightly report', 'Rotate…');
    await button(page, 'Rotate key').click();
    await shownKey(page).waitFor();
    expect([creations().length, requests.filter(isRotation).length]).toEqual([2, 1]);
    await storeKey(page);
    await chooseAction(page, 'Nightly report', 'End the old key now…');
    await page.getByLabel('Yes, end the old key permanently').check();
    await button(page, 'End old key').click();
    await page.getByText('The old “Nightly report” ended. The new one keeps working.').waitFor();

    await showDetails(page, 'Nightly report');
    await page.getByText('View all activity').click();
    await page.getByText('Key Nightly report was created').waitFor();
    // The address and the history belong to the host.
    expect([page.url(), await page.evaluate('history.state')]).toEqual([address, null]);
  });

  test('keeps the form when the sign-in is closed or too old, and makes no key', async () => {
    const owner = await openAccount();
    const page = await visit(owner.id);
    await fillIn(page);
    await (await signInWindow(page)).close();
    await page.getByText(NOT_SIGNED_IN).waitFor();
    await expectFilled(page);
    platform.ageSeconds.again = LONG_AGO_SECONDS;
    await button(await signInWindow(page), 'Sign in').click();
    await page.getByText('Your sign-in is not recent or strong enough').waitFor();
    expect(creations()).toHaveLength(3);
    expect(await countKeys(service, owner)).toEqual({ all: 0, active: 0 });
    platform.reset();
    await button(await signInWindow(page), 'Sign in').click();
    await shownKey(page).waitFor();
    expect(await countKeys(service, owner)).toEqual({ all: 1, active: 1 });
  });

  test('makes no key after the person cancelled the wait for the sign-in', async () => {
    const owner = await openAccount();
    const page = await visit(owner.id);
    await fillIn(page);
    const signIn = await signInWindow(page);
    await button(page, 'Cancel').click();
    await page.getByText(NOT_SIGNED_IN).waitFor();
    const closed = signIn.waitForEvent('close');
    await button(signIn, 'Sign in').click();
    await closed;
    await button(page, 'Cancel').click();
    await createDialog(page).waitFor({ state: 'detached' });
    expect(creations()).toHaveLength(1);
    expect(await countKeys(service, owner)).toEqual({ all: 0, active: 0 });
  });

  test('drops the form and shows the keys of the new person when somebody else signs in', async () => {
    const [owner, other] = [await openAccount(), await openAccount()];
    await putKeys(service, other, [{ name: 'Key of the other' }]);
    const page = await visit(owner.id);
    await fillIn(page);
    platform.nextPerson = other.id;
    await button(await signInWindow(page), 'Sign in').click();
    await page.getByText('Somebody else signed in, so no key was created.').waitFor();
    await row(page, 'Key of the other').waitFor();
    expect([await countKeys(service, owner), await countKeys(service, other)]).toMatchObject([{ all: 0 }, { all: 1 }]);
    await openCreate(page);
    expect(await page.locator('input[name="name"]').inputValue()).toBe('');
  });

  test('says to a person without an account that there is none, instead of that the session has ended', async () => {
    const id = newId();
    const page = await visit(id);
    await page.getByText('You don’t have an account here yet', { exact: true }).waitFor();
    expect(await page.getByText('Your session has ended').count()).toBe(0);
    expect(await page.getByRole('tab').count()).toBe(0);
    await openAccount(id);
    await button(page, 'Try again').click();
    await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
  });
});
