import { afterEach, describe, expect, jest, test } from '@jest/globals';
import argon2 from 'argon2';
import { Argon2Passwords, parseArgon2id } from './argon2-passwords.js';
import { passwordHashes } from './password-hashes.js';

const SALT = 'c2FsdHNhbHRzYWx0c2FsdA';
const HASH = 'aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g';
/** The cost that OWASP recommends, with its parameters in either order. */
const OWASP = /^\$argon2id\$v=19\$m=19456,(t=2,p=1|p=1,t=2)\$/;

const phc = (cost: string) => `$argon2id$v=19$${cost}$${SALT}$${HASH}`;
const turn = () => new Promise((resolve) => setImmediate(resolve));

afterEach(() => void jest.restoreAllMocks());

describe('passwords', () => {
  const passwords = new Argon2Passwords(argon2, { atOnce: 2 });

  test('match only their own hash, at the cost that OWASP recommends', async () => {
    const hash = await passwords.hash('pässwörd');
    expect(hash).toMatch(OWASP);
    expect(await passwords.hash('pässwörd')).not.toBe(hash);
    expect(await passwords.verify('pässwörd', hash)).toEqual({ matches: true, outdated: false });
    expect(await passwords.verify('pässwörd ', hash)).toEqual({ matches: false, outdated: false });
    expect(await passwords.verify('', hash)).toEqual({ matches: false, outdated: false });
  });

  test.each([
    ['m=8192,t=1,p=1', true],
    ['m=19455,t=2,p=1', true],
    ['m=19456,t=1,p=1', true],
    ['m=19456,t=2,p=1', false],
    ['m=20480,t=3,p=2', false],
  ])('hashed with %s are outdated: %s', async (cost, outdated) => {
    const [memoryCost, timeCost, parallelism] = cost.match(/\d+/g)!.map(Number) as [number, number, number];
    const hash = await argon2.hash('x', { type: argon2.argon2id, memoryCost, timeCost, parallelism });
    expect(await passwords.verify('x', hash)).toEqual({ matches: true, outdated });
  });

  test.each([
    ['$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'U*U'],
    ['$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK', 'U*U*'],
    ['$2y$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK', 'U*U*'],
    ['$2b$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a', 'U*U*U'],
  ])("match bcrypt's own test vectors: %s", async (hash, password) => {
    const either = new Argon2Passwords(passwordHashes);
    expect(await either.verify(password, hash)).toEqual({ matches: true, outdated: true });
    expect(await either.verify(`${password}*`, hash)).toEqual({ matches: false, outdated: true });
  });

  test('never match without a hash', async () => {
    for (const password of ['', 'x', 'null']) {
      expect(await passwords.verify(password, null)).toEqual({ matches: false, outdated: false });
    }
  });

  test('cost one verification without a hash too, at the cost of a new hash', async () => {
    const verify = jest.spyOn(argon2, 'verify');
    await passwords.verify('x', null);
    expect(verify).toHaveBeenCalledTimes(1);
    const [decoy, password] = verify.mock.calls[0]!;
    expect(decoy).toMatch(OWASP);
    expect(password).toBe('x');
    expect(await Promise.all(verify.mock.results.map(({ value }) => value))).toEqual([false]);
  });
});

describe('decoys for hashes of several costs', () => {
  const EXPENSIVE = '$argon2id$v=19$m=65536,t=3,p=4';
  const CHEAP = '$argon2id$v=19$m=8,t=1,p=1';
  const key = Buffer.alloc(32, 7);
  const open = (costs: Record<string, number>, secret = key) =>
    new Argon2Passwords(argon2, {
      readCosts: async () => ({
        key: secret,
        costs: Object.entries(costs).map(([settings, accounts]) => ({ settings, accounts })),
      }),
    });
  /** The settings of the decoys for this many emails. */
  async function settingsUsed(passwords: Argon2Passwords, emails = 2000): Promise<string[]> {
    const verify = jest.spyOn(argon2, 'verify').mockResolvedValue(false);
    await passwords.refreshDecoys();
    for (let n = 0; n < emails; n += 1) await passwords.verify('x', null, undefined, `${n}@example.org`);
    const used = verify.mock.calls.map(([hash]) => hash.split('$').slice(0, -2).join('$'));
    verify.mockRestore();
    return used;
  }

  test('unknown emails have the costs of the stored hashes, in the same proportions', async () => {
    const used = await settingsUsed(open({ [EXPENSIVE]: 300, [CHEAP]: 700 }));
    const share = used.filter((settings) => settings === EXPENSIVE).length / used.length;
    expect(new Set(used)).toEqual(new Set([EXPENSIVE, CHEAP]));
    expect(share).toBeGreaterThan(0.25);
    expect(share).toBeLessThan(0.35);
  });

  test('an email has the same cost on every instance, which depends on the stored key', async () => {
    const costs = { [EXPENSIVE]: 500, [CHEAP]: 500 };
    const used = await settingsUsed(open(costs));
    expect(await settingsUsed(open({ [CHEAP]: 500, [EXPENSIVE]: 500 }))).toEqual(used);
    const withAnother = await settingsUsed(open(costs, Buffer.alloc(32, 8)));
    const same = withAnother.filter((settings, n) => settings === used[n]).length / used.length;
    expect(Math.abs(same - 0.5)).toBeLessThan(0.1);
  });

  test('an email changes its cost only to one that has become more frequent', async () => {
    const before = await settingsUsed(open({ [EXPENSIVE]: 200, [CHEAP]: 800 }));
    const after = await settingsUsed(open({ [EXPENSIVE]: 400, [CHEAP]: 600 }));
    const moved = after.filter((settings, n) => settings !== before[n]);
    expect(moved.length).toBeGreaterThan(0);
    expect(new Set(moved)).toEqual(new Set([EXPENSIVE]));
  });

  test('a decoy can be verified and matches no password', async () => {
    const passwords = open({ [CHEAP]: 1 });
    await passwords.open();
    const verify = jest.spyOn(argon2, 'verify');
    for (const password of ['', 'x']) {
      expect(await passwords.verify(password, null, undefined, 'a@example.org')).toEqual({
        matches: false,
        outdated: false,
      });
    }
    expect(await Promise.all(verify.mock.results.map(({ value }) => value))).toEqual([false, false]);
  });
});

/** Replaces argon2's verifications with ones that end when the test ends them. */
function heldVerifications() {
  const running: { end(): void; fail(): void }[] = [];
  let most = 0;
  jest.spyOn(argon2, 'verify').mockImplementation(
    () =>
      new Promise((resolve, reject) => {
        const leave = () => void running.splice(running.indexOf(entry), 1);
        const entry = {
          end: () => (leave(), resolve(true)),
          fail: () => (leave(), reject(new Error('out of memory'))),
        };
        running.push(entry);
        most = Math.max(most, running.length);
      }),
  );
  return { running, most: () => most };
}

describe('the gate', () => {
  test('runs two checks at once, lets 16 wait in order, and refuses more as busy', async () => {
    const passwords = new Argon2Passwords(argon2, { atOnce: 2 });
    // Creates the decoy.
    await passwords.verify('', null);
    const { running, most } = heldVerifications();
    const done: number[] = [];
    const admitted = Array.from({ length: 18 }, (_, n) =>
      passwords.verify('x', phc('m=8,t=1,p=1')).then(() => done.push(n)),
    );
    await turn();
    expect(running).toHaveLength(2);
    for (let extra = 0; extra < 5; extra += 1) {
      await expect(passwords.verify('x', null)).rejects.toMatchObject({
        code: 'busy',
        details: { retryAfterSeconds: 1 },
      });
    }
    await expect(passwords.hash('x')).rejects.toMatchObject({ code: 'busy' });
    while (running.length > 0) {
      running[0]!.end();
      await turn();
    }
    await Promise.all(admitted);
    expect(done).toEqual(Array.from({ length: 18 }, (_, n) => n));
    expect(most()).toBe(2);
  });

  test('runs hashes that need at most 275 MiB together', async () => {
    const passwords = new Argon2Passwords(argon2, { atOnce: 4 });
    const { running } = heldVerifications();
    const mostExpensive = () => passwords.verify('x', phc('m=262144,t=1,p=1'));
    const checks = [
      mostExpensive(),
      passwords.verify('x', phc('m=19456,t=2,p=1')),
      mostExpensive(),
      passwords.verify('x', null),
    ];
    await turn();
    expect(running).toHaveLength(2);
    running[1]!.end();
    await turn();
    expect(running).toHaveLength(1);
    running[0]!.end();
    await turn();
    expect(running).toHaveLength(2);
    while (running.length > 0) {
      running[0]!.end();
      await turn();
    }
    await Promise.all(checks);
  });

  test('counts the memory of a new hash too', async () => {
    const passwords = new Argon2Passwords(argon2, { atOnce: 4 });
    const hashing: (() => void)[] = [];
    const held = () => new Promise<string>((resolve) => hashing.push(() => resolve('')));
    jest.spyOn(argon2, 'hash').mockImplementation(held as unknown as typeof argon2.hash);
    const { running } = heldVerifications();
    const checks = [passwords.verify('x', phc('m=262144,t=1,p=1')), passwords.hash('a'), passwords.hash('b')];
    await turn();
    expect([running.length, hashing.length]).toEqual([1, 1]);
    hashing[0]!();
    await turn();
    expect(hashing).toHaveLength(2);
    hashing[1]!();
    running[0]!.end();
    await Promise.all(checks);
  });

  test('runs the next check when one fails', async () => {
    const passwords = new Argon2Passwords(argon2, { atOnce: 2 });
    await passwords.verify('', null);
    const { running, most } = heldVerifications();
    const checks = Array.from({ length: 6 }, () => passwords.verify('x', null).then(String, String));
    await turn();
    for (let checked = 0; running.length > 0; checked += 1) {
      if (checked % 2) running[0]!.end();
      else running[0]!.fail();
      await turn();
    }
    const outcomes = await Promise.all(checks);
    expect(outcomes.filter((outcome) => outcome === 'Error: out of memory')).toHaveLength(3);
    // Nothing is still occupied.
    const again = Array.from({ length: 18 }, () => passwords.verify('x', null));
    await turn();
    expect([running.length, most()]).toEqual([2, 2]);
    while (running.length > 0) {
      running[0]!.end();
      await turn();
    }
    await Promise.all(again);
  });
});

describe('a hash that the platform pushes', () => {
  const passwords = new Argon2Passwords(argon2, { atOnce: 2 });

  test.each(['m=8,t=1,p=1', 'm=19456,t=2,p=1', 'm=262144,t=10,p=8', 'm=65536,t=3,p=4', 'm=19456,p=1,t=2'])(
    'may cost %s',
    (cost) => expect(passwords.hashProblem(phc(cost))).toBeUndefined(),
  );

  test('may be one of our own', async () => {
    expect(passwords.hashProblem(await passwords.hash('x'))).toBeUndefined();
  });

  test.each([
    'm=262145,t=1,p=1',
    'm=19456,p=9,t=2',
    'm=19456,p=1,t=11',
    'm=19456,t=11,p=1',
    'm=19456,t=2,p=9',
    'm=4294967295,t=4294967295,p=16777215',
  ])('may not cost %s', (cost) => expect(passwords.hashProblem(phc(cost))).toBe('must cost at most m=262144,t=10,p=8'));

  test.each(['', 'secret', '$2b$12$abcdefghijklmnopqrstuu', phc('m=8,t=0,p=1'), phc('m=8,t=1,p=2')])(
    'may not be %j, and is not repeated in the message',
    (hash) => {
      const problem = passwords.hashProblem(hash)!;
      expect(problem).toMatch(/^must be an argon2id PHC string/);
      if (hash) expect(problem).not.toContain(hash);
    },
  );
});

test('the cost in a hash is the cost that it was made with', async () => {
  const cost = { memoryCost: 1024, timeCost: 3, parallelism: 2 };
  expect(parseArgon2id(await argon2.hash('x', { type: argon2.argon2id, ...cost }))).toEqual(cost);
});

test.each(['m=4096,t=3,p=2', 'm=4096,p=2,t=3'])('the cost is read from %s', (text) => {
  const cost = { memoryCost: 4096, timeCost: 3, parallelism: 2 };
  expect(parseArgon2id(phc(text))).toEqual(cost);
});

test.each([
  ['another algorithm', `$argon2i$v=19$m=1024,t=2,p=1$${SALT}$${HASH}`],
  ['bcrypt', '$2b$12$abcdefghijklmnopqrstuuK6lZpzLr0fQoQ2x0O8b4mB0eGm0aG1S'],
  ['an older version', `$argon2id$v=16$m=1024,t=2,p=1$${SALT}$${HASH}`],
  ['no version', `$argon2id$m=1024,t=2,p=1$${SALT}$${HASH}`],
  ['costs in another order', `$argon2id$v=19$t=2,m=1024,p=1$${SALT}$${HASH}`],
  ['costs in yet another order', `$argon2id$v=19$p=1,t=2,m=1024$${SALT}$${HASH}`],
  ['a cost twice', `$argon2id$v=19$m=1024,t=2,t=2$${SALT}$${HASH}`],
  ['no pass', `$argon2id$v=19$m=1024,t=0,p=1$${SALT}$${HASH}`],
  ['no parallelism', `$argon2id$v=19$m=1024,t=1,p=0$${SALT}$${HASH}`],
  ['less memory than its parallelism needs', `$argon2id$v=19$m=15,t=1,p=2$${SALT}$${HASH}`],
  ['a salt too short', `$argon2id$v=19$m=1024,t=2,p=1$c2FsdA$${HASH}`],
  ['a hash too short', `$argon2id$v=19$m=1024,t=2,p=1$${SALT}$aGFzaA`],
  ['no hash', `$argon2id$v=19$m=1024,t=2,p=1$${SALT}`],
  ['something after it', `$argon2id$v=19$m=1024,t=2,p=1$${SALT}$${HASH}\n`],
  ['a password', 'correct horse battery staple'],
  ['nothing', ''],
])('a text is not accepted as an argon2id hash: %s', (_what, hash) => {
  expect(parseArgon2id(hash)).toBeUndefined();
});
