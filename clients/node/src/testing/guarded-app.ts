import type { Server } from 'node:http';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { type Guard, createGuard } from '../guard.js';
import { principalOf } from '../http/principal.js';
import { type RawAnswer, sendRaw, serve } from './raw-http.js';
import { ScriptedLatchkey } from './scripted-latchkey.js';

/** An Express service behind a guard, and the scripted service that the guard calls. */
export class GuardedApp {
  readonly latchkey = new ScriptedLatchkey();
  /** The methods of the requests that reached the handler. */
  readonly handled: string[] = [];
  /** The methods of the requests that reached the platform's own check. */
  readonly others: string[] = [];
  guard!: Guard;
  private server!: Server;

  async start(): Promise<void> {
    await this.latchkey.start();
    this.guard = createGuard({ ...this.latchkey.options, serviceToken: 'token' });
    const app = express();
    app.get('/open', (req, res) => res.json(principalOf(req)));
    app.post('/search', this.guard.protect('systems:read', { operation: 'READ' }), (_, res) => res.json({}));
    const both = { read: 'systems:read', write: 'systems:write' };
    app.use('/reports', this.guard.protect(both, { operations: { REPORT: 'READ' } }), (_, res) => res.json({}));
    const otherwise: RequestHandler = (req, res, next) => {
      this.others.push(req.method);
      if (req.headers.authorization === 'Bearer eyJ.user.jwt') return next();
      res.status(401).json({ from: 'the platform' });
    };
    app.all('/both', this.guard.protect(both, { otherwise }), (req, res) => {
      res.json({ actsAs: this.guard.isApiKey(req) ? principalOf(req).ownerId : 'a user' });
    });
    app.use(this.guard.protect(both));
    app.use(express.json());
    app.all('/systems', (req, res) => {
      this.handled.push(req.method);
      res.json({ actsAs: principalOf(req).ownerId, until: principalOf(req).expiresAt, body: req.body });
    });
    const showError: ErrorRequestHandler = (error, _req, res, _next) => res.status(500).json({ error: error.message });
    app.use(showError);
    this.server = await serve(app);
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
    this.guard.close();
    this.latchkey.stop();
  }

  send(
    requestLine: string,
    headers: readonly string[] = ['Authorization: Bearer lk_key'],
    body = '',
  ): Promise<RawAnswer> {
    return sendRaw(this.server, requestLine, headers, body);
  }
}
