import { describe, expect, it } from '@jest/globals';
import { wordsIn } from '../../scripts/plain-words.mjs';

const found = (text: string) => wordsIn(text).map(({ line, word }) => [line, word]);

describe('the check of words', () => {
  it.each([
    ['// The owner is told of it.', 'told'],
    ['const toldKeys = [];', 'told'],
    ['function isTold() {}', 'told'],
    ['const OUTAGE_TOLD_MS = 1;', 'told'],
    ['told-by-record.ts', 'told'],
    ['a Teller of news', 'teller'],
    ['tried in vain', 'in vain'],
    ['const triedInVain = 0;', 'in vain'],
    ['the dearest hash', 'dearest'],
    ['grantToWhoeverAsks()', 'whoever'],
    ['hashAnew(id)', 'anew'],
    ['reads it afresh', 'afresh'],
    ['the end thereof', 'thereof'],
    ['Hence it fails.', 'hence'],
    ['lest it fails', 'lest'],
    ['the old key goes on', 'goes on'],
    ['goesOn: true', 'goes on'],
    ['nothing by halves', 'by halves'],
  ])('refuses “%s”', (text, word) => expect(found(text)).toEqual([[1, word]]));

  it('names the line of each word and what to write instead', () => {
    expect(wordsIn('first\nlest it fails')).toEqual([{ line: 2, word: 'lest', instead: 'so that … not' }]);
  });

  it.each([
    'the threshold of a vault',
    'unless, wholesale, henchman, canew',
    'it goes one step further',
    'SELECT told_at FROM told_notices',
    'told_notices_pkey, network_told_on',
  ])('accepts “%s”', (text) => expect(found(text)).toEqual([]));
});
