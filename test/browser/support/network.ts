import type { Locator, Page, Request, Route } from 'playwright-core';
import { eventually } from '#test/support/eventually.js';

type Matches = (request: Request) => boolean;

export const isCreation: Matches = (request) =>
  request.method() === 'POST' && new URL(request.url()).pathname === '/v1/api-keys';
export const isRotation: Matches = (request) =>
  request.method() === 'POST' && /^\/v1\/api-keys\/[0-9a-f-]{36}\/rotate$/.test(new URL(request.url()).pathname);
export const isReadingOne: Matches = (request) =>
  request.method() === 'GET' && /^\/v1\/api-keys\/[0-9a-f-]{36}$/.test(new URL(request.url()).pathname);
export const isListing: Matches = (request) =>
  request.method() === 'GET' && new URL(request.url()).pathname === '/v1/api-keys';

/** Passes every matching request to `handle`, until the answered function is called. */
export async function intercept(page: Page, matches: Matches, handle: (route: Route) => Promise<void>) {
  const handler = (route: Route) => (matches(route.request()) ? handle(route) : route.fallback());
  await page.route('**/v1/**', handler);
  return () => page.unroute('**/v1/**', handler);
}

/** Holds matching requests, like a slow network, until they are released. */
export async function holdBack(page: Page, matches: Matches): Promise<{ release(): void; held(): number }> {
  let release!: () => void;
  let held = 0;
  const released = new Promise<void>((resolve) => (release = resolve));
  await intercept(page, matches, async (route) => {
    held += 1;
    await released;
    await route.continue();
  });
  return { release, held: () => held };
}

/** What the service says its time is when the page lists or makes keys, and what it allows. */
export const setServiceTime = (page: Page, now: string, allowed = {}) =>
  page.route('**/v1/api-keys', async (route) => {
    try {
      const response = await route.fetch();
      const answer = await response.json();
      await route.fulfill({ response, json: { ...answer, now, policy: { ...answer.policy, ...allowed } } });
    } catch (error) {
      // A test may end while a list is being read again.
      if (!/disposed|closed/.test(String(error))) throw error;
    }
  });

/** Collects the matching requests from now on. */
export function record(page: Page, matches: Matches): Request[] {
  const seen: Request[] = [];
  page.on('request', (request) => {
    if (matches(request)) seen.push(request);
  });
  return seen;
}

/** Runs the page's timers until `isThere`, for waits between attempts, which are not tested. */
export async function passTime(page: Page, isThere: Locator): Promise<void> {
  await eventually(async () => {
    await page.clock.fastForward(5000);
    return (await isThere.count()) > 0;
  });
}
