import { type Decision, unavailable } from './decision.js';
import { failureLog } from './failure-log.js';
import { openPool } from './grpc/open-pool.js';
import { failureOf } from './grpc/failure.js';
import { callHook, withoutCredentials } from './hooks.js';
import { type IsApiKey, isApiKeyBy } from './http/is-api-key.js';
import { type Protect, protectWith } from './http/middleware.js';
import { type LeaseCounts, Leases, digestOf } from './leases/leases.js';
import { type MakeRoute, routeWith } from './http/route.js';
import { judge } from './judge.js';
import { operationOf as operationOfMethod, overridden } from './operation.js';
import { type GuardOptions, assertUsable } from './options.js';
import { type PreparedQuestion, type Question, prepare, requestIdOf } from './question.js';

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
  /** What the guard's leases did, for metrics. Without the option `leases`, all counts are 0. */
  leases(): LeaseCounts;
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
  const leases = options.leases ? new Leases() : undefined;
  const pool = openPool(options, leases);
  const logFailure = options.logFailures === false ? undefined : failureLog();

  const decide = async (prepared: PreparedQuestion, template: string, digest?: string): Promise<Decision> => {
    const { requestId, authorization, operation, clientIp } = prepared;
    const asked = digest === undefined ? undefined : leases?.wish(digest);
    try {
      const { response, windowSeconds } = await pool.validate(prepared, asked);
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
    } finally {
      if (asked) leases?.wished(asked);
    }
  };

  const askService = async (question: Question, digest?: string): Promise<Decision> => {
    const startedAt = performance.now();
    const prepared = prepare(question, operationOf);
    const template = question.template ?? prepared.permission;
    const decision = await decide(prepared, template, digest);
    const { operation, requestId } = prepared;
    const latencyMs = performance.now() - startedAt;
    const status = decision.allowed ? 200 : decision.status;
    const source = 'service';
    callHook(options.onDecision, { status, operation, permission: template, latencyMs, requestId, source });
    return decision;
  };

  const checkWith =
    (held: Leases) =>
    async (question: Question): Promise<Decision> => {
      const startedAt = options.onDecision ? performance.now() : 0;
      const { permission = '', template = permission, clientIp = '', authorization } = question;
      if (authorization.length === 0) return askService(question);
      const operation = question.operation ?? operationOf(question.method);
      const digest = digestOf(authorization);
      const granted = held.grantFor({ digest, operation, permission, clientIp });
      if (!granted) return askService(question, digest);
      if (options.onDecision) {
        const requestId = requestIdOf(question);
        const latencyMs = performance.now() - startedAt;
        const source = 'lease';
        callHook(options.onDecision, { status: 200, operation, permission: template, latencyMs, requestId, source });
      }
      return granted;
    };
  const check = leases ? checkWith(leases) : (question: Question) => askService(question);

  const route = routeWith({ check, operationOf, clientAddress: options.clientAddress });
  const isApiKey = isApiKeyBy(options.keyPrefix ?? 'lk');
  return {
    check,
    route,
    protect: protectWith(route, isApiKey),
    isApiKey,
    leases: () => leases?.counts ?? noLeases,
    close: () => {
      leases?.close();
      pool.close();
    },
  };
}

const noLeases: LeaseCounts = Object.freeze({ held: 0, spent: 0, recalled: 0 });
