import { describe, expect, test } from '@jest/globals';
import { outcomeOf, times } from '#test/support/application/calls.js';
import { eventually } from '#test/support/eventually.js';
import { PostgresRecordingGate } from './recording-gate.js';

/** Transactions that end when the test ends them. */
class Transactions {
  readonly begun: string[] = [];
  private readonly ends = new Map<string, (error?: Error) => void>();

  begin = (keyId: string) => () => {
    this.begun.push(keyId);
    return new Promise<string>((resolve, reject) => {
      this.ends.set(keyId, (error) => (error ? reject(error) : resolve(`recorded ${keyId}`)));
    });
  };
  end(keyId: string, error?: Error): void {
    this.ends.get(keyId)!(error);
  }
}

function opened(timeoutMs?: number) {
  const gate = new PostgresRecordingGate(timeoutMs);
  const transactions = new Transactions();
  const pass = (keyId: string, through = gate, since = performance.now()) =>
    through.pass(keyId, since, transactions.begin(keyId));
  return { gate, transactions, pass };
}
const isBegun = ({ begun }: Transactions, ...expected: string[]) =>
  eventually(async () => JSON.stringify(begun) === JSON.stringify(expected));

describe('The gate of recordings', () => {
  test('runs one transaction for a key, and lets its other callers read again', async () => {
    const { transactions, pass } = opened();
    const calls = [pass('a'), pass('a'), pass('a')];
    await isBegun(transactions, 'a');
    transactions.end('a');
    expect(await Promise.all(calls)).toEqual(['recorded a', undefined, undefined]);
    const later = pass('a');
    await isBegun(transactions, 'a', 'a');
    transactions.end('a');
    expect(await later).toBe('recorded a');
  });

  test('passes an error to all callers of the key, and frees its place', async () => {
    const { transactions, pass } = opened();
    const calls = [pass('a'), pass('a')].map(outcomeOf);
    await isBegun(transactions, 'a');
    transactions.end('a', new Error('lost'));
    expect(await Promise.all(calls)).toEqual(['lost', 'lost']);
    void pass('a');
    await isBegun(transactions, 'a', 'a');
  });

  test('keeps the place of a key until its transaction ends, although its callers have given up', async () => {
    const { gate, transactions, pass } = opened();
    const hasty = gate.within(1);
    expect(await outcomeOf(pass('a', hasty))).toBe('unavailable');
    expect(await outcomeOf(pass('a', hasty))).toBe('unavailable');
    const patient = pass('a');
    transactions.end('a');
    expect(await patient).toBeUndefined();
    expect(transactions.begun).toEqual(['a']);
  });

  test('runs two transactions at a time, and begins none whose callers have all given up', async () => {
    const { gate, transactions, pass } = opened();
    const first = [pass('a'), pass('b')];
    expect(await Promise.all(times(5, (n) => outcomeOf(pass(`late ${n}`, gate.within(1)))))).toEqual(
      times(5, () => 'unavailable'),
    );
    const last = pass('c');
    expect(transactions.begun).toEqual(['a', 'b']);
    transactions.end('a');
    await isBegun(transactions, 'a', 'b', 'c');
    for (const each of ['b', 'c']) transactions.end(each);
    expect(await Promise.all([...first, last])).toEqual(['recorded a', 'recorded b', 'recorded c']);
  });

  test('counts the time since the caller began to wait', async () => {
    const { gate, pass } = opened();
    const longAgo = performance.now() - 600_000;
    expect(await outcomeOf(pass('a', gate.within(600_000), longAgo))).toBe('unavailable');
  });
});
