import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page, Request } from 'playwright-core';
import { startService, type Service } from '../support/service.js';
import { look } from './support/look.js';
import { LONG_AGO_SECONDS, Platform } from './support/platform.js';
import { isCreation } from './support/network.js';
import { countKeys } from './support/rows.js';
import {
  button,
  chooseAction,
  createDialog,
  heading,
  openCreate,
  row,
  showDetails,
  shownKey,
  storeKey,
} from './support/screen.js';
import { Stage } from './support/stage.js';

/** A day, so that no machine is slow enough for a sign-in of this test to grow old. */
const RULE = { CONFIRMATION_MAX_AGE_SECONDS: '86400', CONFIRMATION_ACR_VALUES: 'urn:example:gold,phr' };
const NOT_SIGNED_IN = 'You did not sign in again, so no key was created.';

describe("the panel in a platform's own page, of another origin", () => {
  let platform: Platform;
  let service: Service;
  let stage: Stage;
  let requests: Request[] = [];
  beforeAll(async () => {
    platform = await Platform.start();
    service = await startService({ ...platform.env, ...RULE });
    stage = await Stage.start(service, platform.url);
  });
  afterEach(async () => {
    // The address too: nothing of a person's sign-in may stand there.
    const sent = requests.map((request) => `${request.url()} ${request.postData() ?? ''}`);
    requests = [];
    platform.reset();
    expect(sent.filter((text) => /password/i.test(text))).toEqual([]);
    await stage.clear();
  });
  afterAll(async () => {
    await stage?.stop();
    await platform?.stop();
  });

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
  /** Presses the button, and waits for the platform's own window. */
  const signInWindow = async (page: Page, press = 'Create key') => {
    const opening = page.waitForEvent('popup');
    await button(page, press).click();
    return opening;
  };
  const creations = () => requests.filter(isCreation);

  test('makes a key once the person has signed in again, and what was typed is still there', async () => {
    const owner = await openAccount();
    const page = await visit(owner.id);
    const address = page.url();
    await fillIn(page);
    expect(await page.locator('input[type="password"]').count()).toBe(0);
    const signIn = await signInWindow(page);
    expect(Object.fromEntries(new URL(signIn.url()).searchParams)).toMatchObject({
      max_age: '86400',
      acr_values: 'urn:example:gold phr',
    });
    await page.getByText('Waiting for you to sign in again').waitFor();
    expect(await page.locator('input[name="name"]').inputValue()).toBe('Nightly report');
    expect(await page.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true);
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
    await showDetails(page, 'Nightly report');
    await button(page, 'All its activity').click();
    await page.getByText('Key Nightly report was created').waitFor();
    // It is the host's.
    expect([page.url(), await page.evaluate('history.state')]).toEqual([address, null]);
  });

  test('asks for no second sign-in while the first is fresh, neither for a rotation', async () => {
    const { id } = await openAccount();
    const page = await visit(id);
    await fillIn(page);
    await button(await signInWindow(page), 'Sign in').click();
    await shownKey(page).waitFor();
    await storeKey(page);
    await chooseAction(page, 'Nightly report', 'Rotate…');
    await button(page, 'Create key').click();
    await shownKey(page).waitFor();
    expect(creations()).toHaveLength(3);
  });

  test('a person who closes the sign-in loses nothing, and may try again', async () => {
    const owner = await openAccount();
    const page = await visit(owner.id);
    await fillIn(page);
    await (await signInWindow(page)).close();
    await page.getByText(NOT_SIGNED_IN).waitFor();
    expect(await page.locator('input[name="name"]').inputValue()).toBe('Nightly report');
    await button(await signInWindow(page), 'Sign in').click();
    await shownKey(page).waitFor();
    expect(await countKeys(service, owner)).toEqual({ all: 1, active: 1 });
  });

  test('a person who no longer wants to wait for the sign-in makes no key by it later', async () => {
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

  test('a sign-in that is too old all the same makes no key, and is asked for once', async () => {
    const owner = await openAccount();
    const page = await visit(owner.id);
    platform.ageSeconds.again = LONG_AGO_SECONDS;
    await fillIn(page);
    await button(await signInWindow(page), 'Sign in').click();
    await page.getByText('Your sign-in is not recent enough, or not strong enough').waitFor();
    expect(creations()).toHaveLength(2);
    expect(await countKeys(service, owner)).toEqual({ all: 0, active: 0 });
  });

  test('when somebody else signs in, the form is dropped, and the keys on the screen are theirs', async () => {
    const [owner, other] = [await openAccount(), await openAccount()];
    const theirs = await visit(other.id);
    await fillIn(theirs);
    await theirs.getByLabel('Name', { exact: true }).fill('Key of the other');
    await button(await signInWindow(theirs), 'Sign in').click();
    await shownKey(theirs).waitFor();
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

  test('a person without an account reads that, and not that a session has ended', async () => {
    const id = newId();
    const page = await visit(id);
    await page.getByText('You have no account here yet').waitFor();
    expect(await page.getByText('Your session has ended').count()).toBe(0);
    expect(await page.getByRole('tab').count()).toBe(0);
    await openAccount(id);
    await button(page, 'Try again').click();
    await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
  });

  test('no violation of any axe rule, light or dark; no sideways scrolling at 360 px or 200 % zoom', async () => {
    const { id } = await openAccount();
    const page = await visit(id);
    await heading(page).waitFor();
    await fillIn(page);
    await look('panel-create', page);
    const signIn = await signInWindow(page);
    await page.getByText('Waiting for you to sign in again').waitFor();
    await look('panel-confirming', page);
    await signIn.close();
    await page.getByText(NOT_SIGNED_IN).waitFor();
    await look('panel-not-signed-in', page);
    platform.ageSeconds.again = LONG_AGO_SECONDS;
    await button(await signInWindow(page), 'Sign in').click();
    await page.getByText('Your sign-in is not recent enough').waitFor();
    await look('panel-not-fresh', page);
    const stranger = await visit(newId());
    await stranger.getByText('You have no account here yet').waitFor();
    await look('panel-no-account', stranger);
  });
});
