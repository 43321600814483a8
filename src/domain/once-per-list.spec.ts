import { expect, test } from '@jest/globals';
import { oncePerList } from './once-per-list.js';

test('oncePerList computes once for each list, and again for another list with the same contents', () => {
  const computed: (readonly string[])[] = [];
  const length = oncePerList((list) => computed.push(list) && list.length);
  const [one, same] = [
    ['a', 'b'],
    ['a', 'b'],
  ];
  expect([length(one), length(one), length(same), length([])]).toEqual([2, 2, 2, 0]);
  expect(computed).toEqual([one, same, []]);
});

test('oncePerList remembers undefined too', () => {
  let computed = 0;
  const nothing = oncePerList(() => void (computed += 1));
  const list = ['a'];
  expect([nothing(list), nothing(list), computed]).toEqual([undefined, undefined, 1]);
});
