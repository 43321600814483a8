import { beforeEach, describe, expect, test } from '@jest/globals';
import { openFakes, type FakeApplication } from '#test/fakes/fake-application.js';
import { FakePlatformLogin } from '#test/fakes/sessions/fake-platform-login.js';
import { client, newOwner, outcomeOf } from '#test/support/application/calls.js';
import type { SignInUnderWay } from './sign-in.js';
import { SignInAccounts } from '../accounts/sign-in-accounts.js';
import { FinishPlatformSignIn } from './finish-platform-sign-in.js';

const HERE = '192.0.2.1';
const ELSEWHERE = '192.0.2.2';

describe('The budget of sign-ins at the platform', () => {
  let nowMs: number;
  let login: FakePlatformLogin;
  let app: FakeApplication;
  let finish: FinishPlatformSignIn;
  let id: string;
  beforeEach(async () => {
    nowMs = 0;
    login = new FakePlatformLogin();
    app = openFakes({ login });
    const signInAccounts = new SignInAccounts(app.accounts, undefined);
    const rule = { maxAgeSeconds: 300, acrValues: [] };
    finish = new FinishPlatformSignIn({ ...app, login, rule, signInAccounts }, () => nowMs);
    ({ id } = await newOwner(app));
  });

  const begin = async () => (await app.beginPlatformSignIn!.execute('sign-in', undefined)).underWay;
  /** @param accountId of the person whom the platform signs in; by default it signs nobody in */
  const comeBack = async (ip: string, accountId?: string, begun?: SignInUnderWay) => {
    const underWay = begun ?? (await begin());
    const signIn = { authenticatedAt: undefined, acr: undefined };
    const answer = accountId === undefined ? '?code=made-up' : login.answer(underWay, { accountId, signIn });
    return outcomeOf(finish.execute(answer, underWay, client(ip)));
  };
  const confirm = async (accountId?: string) => comeBack(HERE, accountId, { ...(await begin()), ownerId: id });
  const repeat = async (count: number, attempt: () => Promise<string>) => {
    const outcomes = new Set<string>();
    for (let n = 0; n < count; n += 1) outcomes.add(await attempt());
    return [...outcomes];
  };

  test('refuses and records a network that failed a hundred times, and no other', async () => {
    expect(await repeat(100, () => comeBack(HERE))).toEqual(['invalid_credentials']);
    const before = app.store.events.length;
    expect(await comeBack(HERE, id)).toBe('too_many_attempts');
    expect(app.store.events.slice(before)).toMatchObject([{ reason: 'too-many-attempts', clientIp: HERE }]);
    expect(await comeBack(ELSEWHERE, id)).toBe('ok');
    nowMs += 10_000;
    expect([await comeBack(HERE), await comeBack(HERE)]).toEqual(['invalid_credentials', 'too_many_attempts']);
  });

  test('is not spent by people whom the platform signs in, however many share a network', async () => {
    expect(await repeat(150, () => comeBack(HERE, id))).toEqual(['ok']);
    expect(await repeat(100, () => comeBack(HERE))).toEqual(['invalid_credentials']);
  });

  test('is spent by an outage of the platform, because each attempt calls it', async () => {
    const underWay = await Promise.all(Array.from({ length: 101 }, begin));
    login.isAway = true;
    expect(await repeat(100, () => comeBack(HERE, id, underWay.pop()))).toEqual(['unavailable']);
    login.isAway = false;
    expect(await comeBack(HERE, id, underWay.pop())).toBe('too_many_attempts');
  });

  test('is spent by sign-ins that come back again', async () => {
    const underWay = await begin();
    expect(await comeBack(HERE, id, underWay)).toBe('ok');
    await repeat(100, () => comeBack(HERE, undefined, underWay));
    expect(await comeBack(HERE, id)).toBe('too_many_attempts');
  });

  test('is not spent, and neither is the sign-in, while too many others are waiting', async () => {
    const underWay = await begin();
    login.isFull = true;
    expect(await repeat(150, () => comeBack(HERE, id, underWay))).toEqual(['busy']);
    login.isFull = false;
    expect(await comeBack(HERE, id, underWay)).toBe('ok');
  });

  test('is another one for an owner who confirms, so that strangers in their network cannot spend it', async () => {
    expect(await repeat(100, () => comeBack(HERE))).toEqual(['invalid_credentials']);
    expect(await confirm(id)).toBe('ok');
    expect(await repeat(100, confirm)).toEqual(['invalid_credentials']);
    expect(await confirm(id)).toBe('too_many_attempts');
  });
});
