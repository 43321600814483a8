import { expect, test } from '@jest/globals';
import argon2 from 'argon2';
import { parseArgon2id } from './hash-formats.js';

const SALT = 'c2FsdHNhbHRzYWx0c2FsdA';
const HASH = 'aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g';

test('the cost in a hash is the cost that it was made with', async () => {
  const cost = { memoryCost: 1024, timeCost: 3, parallelism: 2 };
  expect(parseArgon2id(await argon2.hash('x', { type: argon2.argon2id, ...cost }))).toEqual(cost);
});

test.each(['m=4096,t=3,p=2', 'm=4096,p=2,t=3'])('the cost is read from %s', (text) => {
  const cost = { memoryCost: 4096, timeCost: 3, parallelism: 2 };
  expect(parseArgon2id(`$argon2id$v=19$${text}$${SALT}$${HASH}`)).toEqual(cost);
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
