import { describe, expect, test } from '@jest/globals';
import { detailsOf, moment, recordedNote, recordedPreviousName, recordedView } from './history-event.js';

describe('an event of the history', () => {
  test.each([
    ['{"name":"CI"}', { name: 'CI' }],
    [null, {}],
    ['null', {}],
    ['7', {}],
    ['"CI"', {}],
    ['{"name":', {}],
  ])('with the details %s has %j', (details, expected) => {
    expect(detailsOf({ details })).toEqual(expected);
  });

  test.each([
    ['names the name before a renaming', 'api_key.renamed', { name: 'CI', previousName: 'Old' }, 'Old'],
    ['names none when only the note changed', 'api_key.renamed', { name: 'CI', previousName: 'CI' }, null],
    ['names none when it was not recorded', 'api_key.renamed', { name: 'CI' }, null],
    ['names none that is not a text', 'api_key.renamed', { name: 'CI', previousName: 7 }, null],
    ['names none of another event', 'api_key.created', { name: 'CI', previousName: 'Old' }, null],
  ] as const)('%s', (_, type, details, expected) => {
    expect(recordedPreviousName({ type, details: JSON.stringify(details) })).toBe(expected);
  });

  test.each([
    ['has the note of a revocation', 'api_key.revoked', { note: 'Found in a log' }, 'Found in a log'],
    ['has none where nobody wrote one', 'api_key.revoked', {}, null],
    ['has none that is not a text', 'api_key.revoked', { note: 7 }, null],
    ['does not take the note of a key for it', 'api_key.renamed', { name: 'CI', note: 'Deploys' }, null],
  ] as const)('%s', (_, type, details, expected) => {
    expect(recordedNote({ type, details: JSON.stringify(details) })).toBe(expected);
  });

  test.each([
    [
      'has the query of a page',
      'admin.viewed',
      { query: { owner: 'ada', prefix: null } },
      { owner: 'ada', prefix: null },
    ],
    ['has the ids of found accounts', 'admin.viewed', { accounts: ['ada', 'alan'] }, { accounts: 'ada,alan' }],
    ['has only texts', 'admin.viewed', { query: { limit: 7 } }, { limit: '7' }],
    ['has no query of one key', 'admin.viewed', {}, null],
    ['has no query that is a text', 'admin.viewed', { query: 'x' }, null],
    ['has no query of another event', 'api_key.created', { query: {} }, null],
  ] as const)('%s', (_, type, details, expected) => {
    expect(recordedView({ type, details: JSON.stringify(details) })).toEqual(expected);
  });

  test.each([
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [new Date(NaN), 'no time'],
    [null, 'no time'],
  ])('reads %s as %s in a problem', (at, expected) => {
    expect(moment(at)).toBe(expected);
  });
});
