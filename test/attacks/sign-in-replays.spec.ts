import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { OpenIdProvider } from '../support/platform/openid-provider.js';
import { PlatformService } from '../support/platform/platform-service.js';
import type { Service } from '../support/processes/service.js';
import { failuresOf } from '../support/stores/recorded-failures.js';
import { sql } from '../support/stores/sql.js';

/** A sign-in that a stranger began, and never went to the provider for. */
interface Begun {
  readonly cookie: string;
  readonly state: string;
}

const times = <T>(count: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));

describe('A stranger who calls the callback of sign-ins', () => {
  let platform: PlatformService;
  let provider: OpenIdProvider;
  let service: Service;
  let other: Service;
  beforeAll(async () => {
    platform = await PlatformService.start({ TRUSTED_PROXIES: 'loopback' });
    ({ provider, service } = platform);
    other = await platform.another({ TRUSTED_PROXIES: 'loopback' });
  });
  afterAll(async () => {
    await other?.stop();
    await platform?.stop();
  });
  afterEach(() => provider.resume());

  const begin = async (ip: string): Promise<Begun> => {
    const { headers } = await fetch(platform.begin(), { redirect: 'manual', headers: { 'x-forwarded-for': ip } });
    const state = new URL(headers.get('location')!).searchParams.get('state')!;
    return { cookie: headers.getSetCookie()[0]!.split(';')[0]!, state };
  };
  /** Comes back with a code that the provider never issued. Returns the result that the page would show. */
  const comeBack = async ({ cookie, state }: Begun, ip: string, at = service): Promise<string> => {
    const query = new URLSearchParams({ code: 'made-up', state, iss: provider.issuer });
    const headers = { cookie, 'x-forwarded-for': ip };
    const answer = await fetch(`${at.url}/v1/session/oidc/callback?${query}`, { redirect: 'manual', headers });
    return new URL(answer.headers.get('location')!).hash;
  };
  /** The failures on the audit trail, by reason. */
  const failuresFrom = (ip: string) => failuresOf(service.databaseUrl, 'client_ip', ip);

  test('causes one request to the provider for each sign-in, however often it is replayed on all instances', async () => {
    const ip = '192.0.2.10';
    const begun = await begin(ip);
    const before = provider.tokenRequests.seen;
    const results = await times(40, (n) => comeBack(begun, ip, n % 2 === 0 ? service : other));
    expect(provider.tokenRequests.seen - before).toBe(1);
    expect(results.toSorted()).toEqual([...Array.from({ length: 39 }, () => '#refused=expired'), '#refused=failed']);
    expect(await failuresFrom(ip)).toEqual({ 'invalid-token': 40 });
  });

  test('causes at most a hundred requests to the provider at once, and six a minute', async () => {
    const ip = '192.0.2.11';
    const before = provider.tokenRequests.seen;
    const startedAt = performance.now();
    const results: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      results.push(...(await times(25, async () => comeBack(await begin(ip), ip))));
    }
    const sent = provider.tokenRequests.seen - before;
    expect(sent).toBeGreaterThanOrEqual(100);
    expect(sent).toBeLessThanOrEqual(101 + (performance.now() - startedAt) / 10_000);
    const refused = results.filter((result) => result === '#refused=too_many').length;
    expect(refused).toBe(150 - sent);
    expect(await failuresFrom(ip)).toEqual({ 'invalid-token': sent, 'too-many-attempts': refused });
  });

  test('has at most 15 requests open at a slow provider, from however many networks', async () => {
    const ipOf = (n: number) => `198.51.100.${n}`;
    const begun = await times(200, (n) => begin(ipOf(n)));
    provider.stall();
    provider.tokenRequests.mostOpen = 0;
    let firstRefused = () => {};
    const isFull = new Promise<void>((resolve) => (firstRefused = resolve));
    const all = times(200, async (n) => {
      const result = await comeBack(begun[n]!, ipOf(n));
      if (result === '#refused=too_many') firstRefused();
      return result;
    });
    await Promise.race([isFull, all]);
    provider.resume();
    const results = await all;
    expect(provider.tokenRequests.mostOpen).toBeLessThanOrEqual(15);
    expect(results).toContain('#refused=too_many');
    expect(results).toContain('#refused=failed');
  });

  test('has nothing written by sign-ins that do not come back', async () => {
    const written = () =>
      sql<{ writes: number }>(
        service.databaseUrl,
        `SELECT (SELECT count(*) FROM audit_events)::integer + (SELECT count(*) FROM spent_sign_ins)::integer AS writes`,
      );
    const before = await written();
    await times(20, () => begin('192.0.2.12'));
    expect(await written()).toEqual(before);
  });
});
