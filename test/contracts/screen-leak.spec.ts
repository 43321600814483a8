import { expect, test } from '@jest/globals';
import { linkOfLeak } from '#domain/audit/event-details.js';
import { leakPlace } from '../../web/src/key/leak.js';

test.each([
  ['https://git.example/x', true],
  ['https://git.example/ü?a=<b>&c="d"#e', true],
  ['HTTPS://git.example/x', false],
  ['http://git.example/x', false],
  ['https:git.example', false],
  ['https://', false],
  ['https://ada@git.example/', false],
  ['https://:secret@git.example/', false],
  ['javascript:alert(1)//https://', false],
  ['//git.example/x', false],
  ['page 7', false],
  [null, false],
])('mails and the screen agree on whether the address of a leak is a link: %s', (url, isLink) => {
  const href = linkOfLeak(url);
  expect(href !== undefined).toBe(isLink);
  expect(leakPlace({ source: null, url }).href).toBe(href);
});
