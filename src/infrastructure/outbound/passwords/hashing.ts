import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Options } from 'argon2';
import { Requests } from '../../ipc/requests.js';
import type { HashingOrder } from './hashing-process.js';

const SCRIPT = fileURLToPath(new URL('hashing-process.js', import.meta.url));

/** The part of argon2 that we use for passwords. */
export interface Argon2 {
  hash(password: string, cost: Options): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
  close?(): void;
}

interface HashingProcess {
  readonly child: ChildProcess;
  readonly requests: Requests<HashingOrder, string | boolean>;
}

/** argon2 in a separate process, which starts on first use and again after it has died. */
export class Hashing implements Argon2 {
  private running: HashingProcess | undefined;

  hash(password: string, cost: Options): Promise<string> {
    return this.requests().send({ hash: { password, cost } });
  }

  verify(hash: string, password: string): Promise<boolean> {
    return this.requests().send({ verify: { hash, password } });
  }

  close(): void {
    this.running?.child.disconnect();
    this.running = undefined;
  }

  private requests(): HashingProcess['requests'] {
    this.running ??= this.start();
    return this.running.requests;
  }

  private start(): HashingProcess {
    // Hashes use memory outside of the heap, so no heap options are passed on. The output is dropped.
    const child = fork(SCRIPT, { serialization: 'advanced', execArgv: [], stdio: 'ignore' });
    const started = { child, requests: new Requests(child, 'Passwords can’t be checked right now') };
    const lose = () => {
      started.requests.close();
      if (this.running === started) this.running = undefined;
    };
    child.on('disconnect', lose).on('exit', lose).on('error', lose);
    // This process may end while the other one is running.
    child.unref();
    child.channel?.unref();
    return started;
  }
}
