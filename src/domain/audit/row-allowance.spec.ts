import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RowAllowance } from './row-allowance.js';

test('never are more than 900 rows written in any second, and always some again soon', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 60 }), (pausesMs) => {
      const allowance = new RowAllowance();
      const written: { at: number; rows: number }[] = [];
      let now = 0;
      for (const pause of pausesMs) {
        now += pause;
        const rows = allowance.leftAt(now);
        if (pause >= 250) expect(rows).toBeGreaterThanOrEqual(175);
        allowance.spend(rows);
        written.push({ at: now, rows });
      }
      for (const { at: from } of written) {
        const within = written.filter(({ at }) => at >= from && at < from + 1000);
        expect(within.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThanOrEqual(900);
      }
    }),
  );
});
