import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Options } from 'argon2';
import { LatchkeyError } from '../../../domain/errors.js';
import type { HashingAnswer, HashingOrder } from './hashing-process.js';

const SCRIPT = fileURLToPath(new URL('hashing-process.js', import.meta.url));

/** The part of argon2 that passwords need. */
export interface Argon2 {
  hash(password: string, cost: Options): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
  close?(): void;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

type Work<Order = HashingOrder> = Order extends HashingOrder ? Omit<Order, 'id'> : never;

/** argon2 in a process of its own, started when it is first needed and again when it has died. */
export class Hashing implements Argon2 {
  private child: ChildProcess | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;

  hash(password: string, cost: Options): Promise<string> {
    return this.order({ hash: { password, cost } });
  }

  verify(hash: string, password: string): Promise<boolean> {
    return this.order({ verify: { hash, password } });
  }

  close(): void {
    this.child?.disconnect();
    this.child = undefined;
  }

  private order<Value>(work: Work): Promise<Value> {
    return new Promise((resolve, reject) => {
      const id = (this.lastId += 1);
      this.waiting.set(id, { resolve, reject });
      this.child ??= this.start();
      this.child.send({ ...work, id });
    });
  }

  private start(): ChildProcess {
    // Its memory is for hashes, which are not on the heap; what it says is for us alone.
    const child = fork(SCRIPT, { serialization: 'advanced', execArgv: [], stdio: 'ignore' });
    child.on('message', (message) => this.settle(message as HashingAnswer));
    child.on('exit', () => this.lose(child)).on('error', () => this.lose(child));
    // It works for us and does not keep us here.
    child.unref();
    child.channel?.unref();
    return child;
  }

  private settle(answer: HashingAnswer): void {
    const waiting = this.waiting.get(answer.id);
    this.waiting.delete(answer.id);
    if ('error' in answer) waiting?.reject(new Error(answer.error));
    else waiting?.resolve(answer.value as never);
  }

  private lose(child: ChildProcess): void {
    if (this.child !== child) return;
    this.child = undefined;
    const lost = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of lost) reject(new LatchkeyError('unavailable', 'Passwords can’t be checked right now'));
  }
}
