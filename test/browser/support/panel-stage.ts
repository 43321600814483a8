import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { Page, Request } from 'playwright-core';
import { startService } from '#test/support/processes/service.js';
import { isCreation, isRotation } from './network.js';
import { Platform } from './platform.js';
import { button, openCreate } from './screen.js';
import { Stage } from './stage.js';

/** A day, so that no sign-in of a test expires on a slow machine. */
const RULE = { CONFIRMATION_MAX_AGE_SECONDS: '86400', CONFIRMATION_ACR_VALUES: 'urn:example:gold,phr' };

/** The panel in a platform's page of another origin, and what the page requests. */
export class PanelStage {
  private requests: Request[] = [];

  private constructor(
    readonly platform: Platform,
    private readonly stage: Stage,
  ) {}

  static async start(): Promise<PanelStage> {
    const platform = await Platform.start();
    const service = await startService({ ...platform.env, ...RULE });
    return new PanelStage(platform, await Stage.start(service, platform.url));
  }

  get service() {
    return this.stage.service;
  }

  get creations(): readonly Request[] {
    return this.requests.filter(isCreation);
  }

  get rotations(): readonly Request[] {
    return this.requests.filter(isRotation);
  }

  async openAccount(id = newId()) {
    const profile = { id, email: `${randomUUID()}@example.com`, permissions: ['systems:read'] };
    await this.service.clients.putAccount(profile);
    return { id };
  }

  visit(id: string): Promise<Page> {
    return this.stage.visit(this.platform.pageOf(id, this.service), {
      prepare: async (page) => page.context().on('request', (request) => this.requests.push(request)),
    });
  }

  /** Runs after each test. No request may have carried a password. */
  async clear(): Promise<void> {
    // The address, too: it must not contain anything of a person's sign-in.
    const ofPerson = this.requests.filter((request) => request.resourceType() !== 'script');
    const sent = ofPerson.map((request) => `${request.url()} ${request.postData() ?? ''}`);
    this.requests = [];
    this.platform.reset();
    await this.stage.clear();
    expect(sent.filter((text) => /password/i.test(text))).toEqual([]);
  }

  async stop(): Promise<void> {
    await this.stage.stop();
    await this.platform.stop();
  }
}

export const newId = () => `auth0|${randomUUID()}`;

export async function fillIn(page: Page): Promise<void> {
  await openCreate(page);
  await page.getByLabel('Name', { exact: true }).fill('Nightly report');
  await page.getByRole('radio', { name: '30 days' }).check();
}

export async function expectFilled(page: Page): Promise<void> {
  expect(await page.locator('input[name="name"]').inputValue()).toBe('Nightly report');
  expect(await page.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true);
}

/** Presses the button, and waits for the platform's own window. */
export async function signInWindow(page: Page): Promise<Page> {
  const opening = page.waitForEvent('popup');
  await button(page, 'Create key').click();
  return opening;
}
