import { type Decision, unavailable } from './decision.js';
import { failureLog } from './failure-log.js';
import type { Lease__Output as Lease } from '../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/Lease.js';
import { failureOf } from './grpc/failure.js';
import { Pool } from './grpc/pool.js';
import { callHook, type FailureEvent, withoutCredentials } from './hooks.js';
import { type IsApiKey, isApiKeyBy } from './http/http-request.js';
import { type Protect, protectWith } from './http/middleware.js';
import { type Clocks, type FromLease, Leases, type Wish } from './leases.js';
import { type MakeRoute, routeWith } from './http/route.js';
import { readAnswer } from './read-answer.js';
import { operationOf as operationOfMethod, overridden } from './operation.js';
import { type GuardOptions, assertUsable } from './options.js';
import { type PreparedQuestion, type Question, credentialOf, prepare, requestIdOf, textOf } from './question.js';

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
  /** For metrics. Without the option `leases`, both counts are 0. */
  leases(): LeaseCounts;
  /** Closes the connections, which keep the process alive until then. Later questions are refused with 503. */
  close(): void;
}

export interface LeaseCounts {
  /** The leases that the guard holds now. One that has ended counts a little longer. */
  readonly held: number;
  /** The requests that were granted from a lease. */
  readonly spent: number;
}

/** In milliseconds. */
const reportEveryMs = 1000;

/**
 * Opens a guard: one per process, for as long as the process lives. It starts to connect at once, does not wait for
 * the service, and reconnects by itself.
 *
 * @param clocks replaces the clocks by which leases end, in tests
 * @throws {TypeError} an option is missing or unusable
 * @throws {Error} the TLS texts cannot be read
 */
export function createGuard(options: GuardOptions, clocks?: Clocks): Guard {
  assertUsable(options);
  const operationOf = overridden(operationOfMethod, options.operations);
  const leases = options.leases ? new Leases(clocks) : undefined;
  const pool = new Pool(options);
  const logFailure = options.logFailures === false ? undefined : failureLog(!!options.serviceToken);

  /** @param startedAt when the request came @param wish for a lease @param onError gets why there is no answer */
  const ask = async (
    prepared: PreparedQuestion,
    startedAt: number,
    wish: Wish | undefined,
    onError: (failure: FailureEvent) => void,
  ): Promise<Decision> => {
    const { requestId, credential, permission } = prepared;
    let decision: Decision = unavailable;
    let lease: Lease | null = null;
    try {
      const { response, windowSeconds } = await pool.validate(prepared, startedAt, wish?.uses);
      lease = response.lease;
      decision = readAnswer(response, permission, windowSeconds);
      if (!decision.allowed && decision.status === 401) leases?.drop(credential);
    } catch (error) {
      const { code, message } = failureOf(error);
      onError({ code, message: withoutCredentials(message + pool.connector.trouble(), textOf(credential)), requestId });
    }
    if (wish) leases?.ended(wish, decision, lease);
    return decision;
  };

  const failed = (failure: FailureEvent) => {
    logFailure?.(failure);
    callHook(options.onError, failure);
  };

  const askService = async (question: Question, startedAt: number, wish?: Wish): Promise<Decision> => {
    const prepared = prepare(question, operationOf);
    const decision = await ask(prepared, startedAt, wish, failed);
    const { operation, requestId, clientIp } = prepared;
    const template = question.template ?? prepared.permission;
    if (!decision.allowed && decision.status !== 503) {
      const { status, reason, keyId, ownerId } = decision;
      const permission = prepared.permission || template;
      callHook(options.onDenied, { status, reason, keyId, ownerId, operation, permission, clientIp, requestId });
    }
    const latencyMs = performance.now() - startedAt;
    const status = decision.allowed ? 200 : decision.status;
    const source = 'service';
    callHook(options.onDecision, { status, operation, permission: template, latencyMs, requestId, source });
    return decision;
  };

  const checkWith = (held: Leases) => {
    const fromLease = (question: Question, startedAt: number, { granted, renewal }: FromLease): Decision => {
      // Nobody waits for it, and if it fails, no request is refused.
      if (renewal) void ask(prepare(question, operationOf), performance.now(), renewal, () => undefined);
      if (options.onDecision) {
        const { operation = operationOf(question.method), template = question.permission ?? '' } = question;
        callHook(options.onDecision, {
          status: 200,
          operation,
          permission: template,
          latencyMs: performance.now() - startedAt,
          requestId: requestIdOf(question),
          source: 'lease',
        });
      }
      return granted;
    };
    return async (question: Question): Promise<Decision> => {
      const startedAt = performance.now();
      const credential = credentialOf(question);
      const key = isClosed ? undefined : held.keyOf(credential);
      if (!key) return askService(question, startedAt);
      const { operation = operationOf(question.method), permission = '', clientIp = '' } = question;
      const use = { credential, operation, permission, clientIp };
      const granted = held.grantFor(key, use);
      if (granted) return fromLease(question, startedAt, granted);
      const next = held.next(key, use);
      if (!(next instanceof Promise)) return askService(question, startedAt, next);
      // The call began before this request came, so it ends before this request's deadline.
      await next;
      for (;;) {
        const grantedNow = isClosed ? undefined : held.grantFor(key, use);
        if (grantedNow) return fromLease(question, startedAt, grantedNow);
        const place = held.place(key);
        if (place === true) return askService(question, startedAt).finally(() => held.left(key));
        // oxlint-disable-next-line no-await-in-loop
        await place;
      }
    };
  };
  const check = leases ? checkWith(leases) : (question: Question) => askService(question, performance.now());

  let isClosed = false;
  const tidy = () => {
    for (const uses of leases?.tidy() ?? []) pool.report(uses);
  };
  const tidying = setInterval(tidy, reportEveryMs).unref();

  const { credentials = ['bearer'] } = options;
  const route = routeWith({ check, operationOf, clientAddress: options.clientAddress, credentials });
  const isApiKey = isApiKeyBy(options.keyPrefix ?? 'lk', credentials);
  return {
    check,
    route,
    protect: protectWith(route, isApiKey),
    isApiKey,
    leases: () => ({ held: leases?.held ?? 0, spent: leases?.spent ?? 0 }),
    close: () => {
      isClosed = true;
      clearInterval(tidying);
      tidy();
      pool.close();
    },
  };
}
