import { expect, test } from '@jest/globals';
import { normalizeName } from './names.js';

test.each([
  ['a zero-width space within', 'CI\u200b deploy', 'CI deploy'],
  ['a mark that turns the direction', 'CI\u202e deploy', 'CI deploy'],
  ['a joiner between Latin letters', 'de\u200dploy', 'deploy'],
  ['a joiner at the end', 'CI deploy\u200d', 'CI deploy'],
  ['the joiners of an emoji, which stay', '👩\u200d💻 laptop', '👩\u200d💻 laptop'],
  ['the joiner after a skin tone, which stays', '👩🏽\u200d💻', '👩🏽\u200d💻'],
  ['the joiner after a variation selector, which stays', '🏳\ufe0f\u200d🌈', '🏳\ufe0f\u200d🌈'],
  ['the joiners of a script that needs them, which stay', 'می\u200cخواهم', 'می\u200cخواهم'],
])('normalizeName takes out what hides in a name: %s', (_what, name, kept) => expect(normalizeName(name)).toBe(kept));
