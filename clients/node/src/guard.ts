import { type Decision, unavailable } from './decision.js';
import { failureLog } from './failure-log.js';
import { openPool } from './grpc/open-pool.js';
import { failureOf } from './grpc/failure.js';
import { callHook, withoutCredentials } from './hooks.js';
import { type IsApiKey, isApiKeyBy } from './http/is-api-key.js';
import { type Protect, protectWith } from './http/middleware.js';
import { type MakeRoute, routeWith } from './http/route.js';
import { judge } from './judge.js';
import { operationOf as operationOfMethod, overridden } from './operation.js';
import { type GuardOptions, assertUsable } from './options.js';
import { type PreparedQuestion, type Question, prepare } from './question.js';

export interface Guard {
  /**
   * Checks with the service whether a request may proceed. Never rejects: when the service gives no usable answer
   * within the deadline, the decision is a refusal with status 503.
   */
  check(question: Question): Promise<Decision>;
  /**
   * Prepares the questions about one route. The adapters for web frameworks are built on it. Answer a refusal with
   * `refusalAnswer`, and add `rateLimitHeaders` to every answer and `expiryHeaders` to a granted one.
   */
  readonly route: MakeRoute;
  /** Makes Express or connect middleware that lets only granted requests through. */
  readonly protect: Protect;
  readonly isApiKey: IsApiKey;
  /** Closes the connections, which keep the process alive until then. Later questions are refused with 503. */
  close(): void;
}

/**
 * Opens a guard: one per process, for as long as the process lives. It starts to connect at once, does not wait for
 * the service, and reconnects by itself.
 *
 * @throws {TypeError} an option is missing or unusable
 * @throws {Error} the TLS texts cannot be read
 */
export function createGuard(options: GuardOptions): Guard {
  assertUsable(options);
  const operationOf = overridden(operationOfMethod, options.operations);
  const pool = openPool(options);
  const logFailure = options.logFailures === false ? undefined : failureLog();

  const decide = async (prepared: PreparedQuestion, template: string): Promise<Decision> => {
    const { requestId, authorization, operation, clientIp } = prepared;
    try {
      const { response, windowSeconds } = await pool.validate(prepared);
      const decision = judge(response, prepared.permission, windowSeconds);
      if (!decision.allowed) {
        const permission = prepared.permission || template;
        const { status, reason, keyId, ownerId } = decision;
        callHook(options.onDenied, { status, reason, keyId, ownerId, operation, permission, clientIp, requestId });
      }
      return decision;
    } catch (error) {
      const { code, message } = failureOf(error);
      const failure = { code, message: withoutCredentials(message, authorization), requestId };
      logFailure?.(failure);
      callHook(options.onError, failure);
      return unavailable;
    }
  };

  const check = async (question: Question): Promise<Decision> => {
    const startedAt = performance.now();
    const prepared = prepare(question, operationOf);
    const template = question.template ?? prepared.permission;
    const decision = await decide(prepared, template);
    const { operation, requestId } = prepared;
    const latencyMs = performance.now() - startedAt;
    const status = decision.allowed ? 200 : decision.status;
    callHook(options.onDecision, { status, operation, permission: template, latencyMs, requestId });
    return decision;
  };

  const route = routeWith({ check, operationOf, clientAddress: options.clientAddress });
  const isApiKey = isApiKeyBy(options.keyPrefix ?? 'lk');
  return { check, route, protect: protectWith(route, isApiKey), isApiKey, close: () => pool.close() };
}
