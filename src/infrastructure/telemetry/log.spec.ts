import { describe, expect, test } from '@jest/globals';
import { KeyString } from '#domain/keys/key-string.js';
import { Log } from './log.js';

describe('the log', () => {
  const written = (level: string, write: (log: Log) => void) => {
    const lines: string[] = [];
    write(new Log(level, { write: (line) => void lines.push(line) }));
    return lines;
  };
  const key = KeyString.generate('lk').reveal();
  const secret = key.slice(key.indexOf('.') + 1, -1);

  test('masks a key anywhere in a line', () => {
    const lines = written('debug', (log) => {
      log.debug(`called with ${key}`);
      log.info('request', { path: `/v1/${key}`, nested: { header: [`Bearer ${key}`] } });
      log.warn('unavailable', { [key]: 1 });
      log.error('x', { cause: `"${key.replace('.', '%2e')}"\n${key.toUpperCase()}` });
      log.fault(new Error(key));
    });
    expect(lines.length).toBe(5);
    expect(lines.filter((line) => line.toLowerCase().includes(secret.slice(0, 16)))).toEqual([]);
    // Each entry is still one line.
    expect(lines.map((line) => (JSON.parse(line) as { level: number }).level)).toEqual([20, 30, 40, 50, 50]);
    expect(lines[1]).toContain(key.slice(0, 27));
  });

  test('writes one line for each event and changes nothing else', () => {
    const [line, ...more] = written('info', (log) => {
      log.debug('not at this level');
      log.info('two\nlines', { id: 'a'.repeat(80), digest: 'f'.repeat(64) });
    });
    expect(more).toEqual([]);
    expect(JSON.parse(line!)).toMatchObject({ msg: 'two\nlines', id: 'a'.repeat(80), digest: 'f'.repeat(64) });
    expect(line!.split('\n')).toEqual([expect.any(String), '']);
  });
});
