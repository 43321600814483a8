import { describe, expect, test } from '@jest/globals';
import { counter } from '#infrastructure/telemetry/instrument.js';
import { Parts } from './parts.js';

/** Notes every call to it. */
function part(name: string, notes: string[]) {
  return {
    open: async () => void notes.push(`open ${name}`),
    close: async () => {
      // Gives other parts the chance to run first.
      await Promise.resolve();
      notes.push(`close ${name}`);
    },
    instruments: () => [counter(`${name}_total`, 'For this test', () => 1)],
  };
}

describe('a registered part', () => {
  test('is opened, and closed before the parts that were registered earlier', async () => {
    const notes: string[] = [];
    const parts = new Parts({ database: part('database', notes), reader: part('reader', notes) });
    await parts.open();
    await parts.close();
    expect(notes).toEqual(['open database', 'open reader', 'close reader', 'close database']);
  });

  test('is measured', () => {
    const parts = new Parts({ one: part('one', []), two: part('two', []) });
    expect(parts.instruments().map(({ name }) => name)).toEqual(['one_total', 'two_total']);
  });

  test('may have no methods, and may be undefined', async () => {
    const parts = new Parts({ plain: {}, absent: undefined });
    await parts.open();
    await parts.close();
    expect(parts.instruments()).toEqual([]);
  });

  test('is opened once if it has two names', async () => {
    const notes: string[] = [];
    const limiter = part('limiter', notes);
    await new Parts({ local: limiter, shared: limiter }).open();
    expect(notes).toEqual(['open limiter']);
  });
});
