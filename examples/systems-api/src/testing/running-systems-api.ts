import type { Server } from 'node:http';
import { type Guard, createGuard } from '@latchkey/guard';
import { denied, granted } from '../../../../clients/node/src/testing/answers.js';
import { type RawAnswer, portOf, sendRaw, serve } from '../../../../clients/node/src/testing/raw-http.js';
import { ScriptedLatchkey } from '../../../../clients/node/src/testing/scripted-latchkey.js';
import { Inventory } from '../inventory.js';
import { createSystemsApi } from '../systems-api.js';

/** The service with its real guard, and a scripted Latchkey that knows three keys: `reader`, `writer` and `reader-of-sys-1`. */
export class RunningSystemsApi {
  readonly latchkey = new ScriptedLatchkey();
  inventory = Inventory.seeded();
  private guard!: Guard;
  private server!: Server;

  async start(): Promise<void> {
    // The real service's rules: a request without a key is refused, no key destroys, a read-only key does not write.
    this.latchkey.script = ({ authorization, operation, permission }, reply) => {
      const ofOne = authorization === 'Bearer reader-of-sys-1';
      const reader = authorization === 'Bearer reader' || ofOne;
      if (!reader && authorization !== 'Bearer writer') return reply(null, denied());
      const no = (reason: 'REASON_OPERATION_NOT_ALLOWED' | 'REASON_READ_ONLY_KEY' | 'REASON_MISSING_PERMISSION') =>
        reply(null, denied({ httpStatus: 403, reason }));
      if (operation === 'OPERATION_DESTROY') return no('REASON_OPERATION_NOT_ALLOWED');
      if (reader && operation === 'OPERATION_WRITE') return no('REASON_READ_ONLY_KEY');
      if (ofOne && permission !== 'systems/sys-1:read') return no('REASON_MISSING_PERMISSION');
      reply(null, granted());
    };
    await this.latchkey.start();
    this.guard = createGuard({ ...this.latchkey.options, serviceToken: 'token' });
    this.inventory = Inventory.seeded();
    this.server = await serve(createSystemsApi(this.guard, this.inventory));
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
    this.guard.close();
    this.latchkey.stop();
  }

  /** Calls with the key that may write, unless `key` names another. */
  async call(method: string, path: string, body?: string, key = 'writer') {
    const response = await fetch(`http://127.0.0.1:${portOf(this.server)}${path}`, {
      method,
      headers: { ...(key && { authorization: `Bearer ${key}` }), 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
  }

  /** For methods that fetch does not know. */
  sendRaw(requestLine: string, key: string): Promise<RawAnswer> {
    return sendRaw(this.server, requestLine, [`Authorization: Bearer ${key}`]);
  }
}
