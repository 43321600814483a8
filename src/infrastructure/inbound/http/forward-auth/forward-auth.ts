import type { Request } from 'express';
import type { ValidateKey } from '../../../../application/validation/validate-key.js';
import type { Question } from '../../../../domain/keys/verdict.js';
import type { ForwardAuthRoute } from '../../../../config/forward-auth-routes.js';
import type { KeyAnswer } from '../../shared/key-answers.js';
import type { Log } from '../../../telemetry/log.js';
import { CLOSED } from '../../shared/operation-of.js';
import { originalOf, type ForwardAuthMode } from './forward-auth-modes.js';
import { normalPath } from './forward-auth-path.js';
import { ForwardAuthTable } from './forward-auth-table.js';
import type { KeyRequests } from '../pipeline/key-requests.js';
import type { LatchkeyRequest } from '../pipeline/request.js';

export interface ForwardAuthParts {
  readonly validateKey: ValidateKey;
  readonly keyRequests: KeyRequests;
  readonly log: Log;
  readonly routes: readonly ForwardAuthRoute[] | undefined;
}

/** Answers proxies that call for each request. The service behind the proxy needs to know nothing about keys. */
export class ForwardAuth {
  private readonly table: ForwardAuthTable;
  private hasWarned = false;

  constructor(private readonly parts: ForwardAuthParts) {
    this.table = new ForwardAuthTable(parts.routes ?? []);
  }

  async answer(mode: ForwardAuthMode, request: LatchkeyRequest): Promise<KeyAnswer> {
    const { validateKey, keyRequests, routes } = this.parts;
    if (!routes) this.warnOnce();
    const question = this.questionOf(mode, request);
    const answer = await keyRequests.answer(request, async (credential, client) =>
      keyRequests.answers.of(await validateKey.execute({ credential, question, client })),
    );
    return mode === 'nginx' ? forNginx(answer) : answer;
  }

  private questionOf(mode: ForwardAuthMode, request: Request): Question {
    const original = originalOf(request, mode);
    const path = original && normalPath(original.target);
    return path === undefined ? CLOSED : this.table.questionFor(original!.method, path);
  }

  private warnOnce(): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    this.parts.log.warn('FORWARD_AUTH_ROUTES is missing: a proxy asks, and without routes every good key gets 403');
  }
}

/**
 * nginx's auth_request understands 401 and 403 and treats every other status as an error. So the real status is sent in
 * a header.
 */
function forNginx(answer: KeyAnswer): KeyAnswer {
  if (answer.status !== 429 && answer.status !== 503) return answer;
  return { ...answer, status: 403, headers: { ...answer.headers, 'X-Latchkey-Status': String(answer.status) } };
}
