// `node bench/screen.mjs [checkout…]`: how long a person on a slow network and a slow phone waits for their keys. Other
// built checkouts are measured in turns with this one, so that other load slows all of them.
import { mkdtempSync, rmSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { chromium } from 'playwright-core';
import { startEmbeddedPostgres } from '../scripts/embedded-postgres.mjs';
import { root } from '../scripts/lib/paths.mjs';
import { startChromium } from '../test/browser/support/chromium.mjs';
import { connected } from './lib/database.mjs';
import { columnsOf } from './lib/markdown.mjs';
import { ownerOf } from './lib/keys.mjs';
import { seed } from './lib/seed.mjs';
import { cookieOf, startService } from './lib/service.mjs';
import { summary } from './lib/statistics.mjs';
import { interleave } from './rows/row.mjs';

const ROUNDS = 7;
const KEYS = 5;
/** Lighthouse's slow 4G: 1.6 Mb/s down, 750 kb/s up, 150 ms. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const CPU_SLOWDOWN = 4;

/** Runs in the page: when the first key was painted and the page was free to react. */
const WATCH = `new MutationObserver((_, observer) => {
  if (!document.querySelector('main [role="rowheader"]')) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => globalThis.usable(performance.now())));
}).observe(document, { childList: true, subtree: true })`;

/**
 * @typedef {object} Load
 * @property {number} usableMs from the start of the navigation
 * @property {number} scriptBytes of JavaScript on the network until then
 * @property {string[]} asked the calls of the API until then
 */

/** @param {import('playwright-core').Browser} browser @param {string} url @param {string} cookie @returns {Promise<Load>} */
async function load(browser, url, cookie) {
  const context = await browser.newContext({ viewport: { width: 412, height: 823 }, reducedMotion: 'reduce' });
  const [name = '', value = ''] = cookie.split('=', 2);
  await context.addCookies([{ name, value, url }]);
  /** @type {Promise<number>} */
  const usable = new Promise((resolve) => void context.exposeFunction('usable', resolve));
  await context.addInitScript(WATCH);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', NETWORK);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  let scriptBytes = 0;
  /** @type {Set<string>} */
  const scripts = new Set();
  /** @type {string[]} */
  const asked = [];
  devtools.on('Network.requestWillBeSent', ({ requestId, request }) => {
    const { pathname, search } = new URL(request.url);
    if (pathname.endsWith('.js')) scripts.add(requestId);
    if (pathname.startsWith('/v1/')) asked.push(pathname + search);
  });
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) scriptBytes += encodedDataLength;
  });
  await page.goto(`${url}/settings/api-keys`, { waitUntil: 'commit' });
  const measured = { usableMs: await usable, scriptBytes, asked: [...asked] };
  await context.close();
  return measured;
}

const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'));
// PostgreSQL never runs as root, so its user must be able to enter the folder.
chmodSync(folder, 0o755);
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), detached: false });
const server = await startChromium();
const browser = await chromium.connect(server.wsEndpoint());
/** @type {Record<string, Load>} */
const last = {};
/** @type {Record<string, () => Promise<number>>} */
const sides = {};
const services = [];
for (const [n, checkout] of [root, ...process.argv.slice(2)].entries()) {
  const database = new URL(`/screen_${n}`, postgres.url).href;
  await connected(postgres.url, (client) => client.query(`CREATE DATABASE screen_${n}`));
  const service = await startService(database, {}, relative(import.meta.dirname, join(checkout, 'dist/main.js')));
  services.push(service);
  await seed(database, KEYS);
  const cookie = await cookieOf(service.url, `${ownerOf(0)}@bench.test`);
  const name = `${n}: ${basename(checkout)}`;
  sides[name] = async () => (last[name] = await load(browser, service.url, cookie)).usableMs / 1000;
}
const rows = Object.entries(await interleave(ROUNDS, sides));
console.log(
  columnsOf(rows, [
    ['checkout', ([name]) => name],
    ['list usable, median', ([, seconds]) => `${summary(seconds).median.toFixed(2)} s`],
    ['min to max', ([, seconds]) => `${summary(seconds).min.toFixed(2)} to ${summary(seconds).max.toFixed(2)} s`],
    ['script until then', ([name]) => `${(last[name].scriptBytes / 1000).toFixed(1)} kB`],
    ['calls until then', ([name]) => last[name].asked.join(' ')],
  ]),
);
await browser.close();
await server.close();
await Promise.all(services.map((service) => service.stop()));
await postgres.stop();
rmSync(folder, { recursive: true, force: true });
