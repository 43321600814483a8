import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { acquireLock } from '../../scripts/lib/lock.mjs';
import { root } from '../../scripts/lib/paths.mjs';

describe('the lock', () => {
  it('has one holder, and is free after its release', async () => {
    const name = randomUUID();
    const lock = await acquireLock(name);
    expect(await acquireLock(name)).toBeUndefined();
    await lock?.release();
    const next = await acquireLock(name);
    expect(next).toBeDefined();
    await next?.release();
  });

  it('does not block a lock with another name', async () => {
    const locks = await Promise.all([acquireLock(randomUUID()), acquireLock(randomUUID())]);
    expect(locks).not.toContain(undefined);
    await Promise.all(locks.map((lock) => lock?.release()));
  });

  it('is acquired by exactly one of many simultaneous callers', async () => {
    const name = randomUUID();
    const locks = await Promise.all(Array.from({ length: 20 }, () => acquireLock(name)));
    const held = locks.filter((lock) => lock !== undefined);
    expect(held).toHaveLength(1);
    await held[0]?.release();
  });

  it('is released when its holder is ended with kill -9', async () => {
    const name = randomUUID();
    const module = JSON.stringify(join(root, 'scripts/lib/lock.mjs'));
    const script = `const { acquireLock } = await import(${module}); await acquireLock('${name}'); console.log('held'); setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    expect(await acquireLock(name)).toBeUndefined();
    const ended = new Promise((resolve) => holder.once('exit', resolve));
    holder.kill('SIGKILL');
    await ended;
    const lock = await acquireLock(name);
    expect(lock).toBeDefined();
    await lock?.release();
  });
});
