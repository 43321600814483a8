import type { Decision, Denied } from './decision.js';
import type { Operation } from './operation.js';

/** A request that the service refused, with the reason, which the client must not learn. */
export interface DenialEvent {
  readonly status: Denied['status'];
  readonly reason: Denied['reason'];
  /** The key and its owner; undefined until the key's secret is proven, or with an older service. */
  readonly keyId: string | undefined;
  readonly ownerId: string | undefined;
  readonly operation: Operation;
  /** With the route's parameters; as the route names it if one of them cannot be part of a permission. */
  readonly permission: string;
  /** Empty if it is unknown. */
  readonly clientIp: string;
  /** The same id as in the service's audit log. */
  readonly requestId: string;
}

/** A question without a usable answer. Its request was answered with 503. */
export interface FailureEvent {
  /**
   * A gRPC status name (`UNAVAILABLE`, `DEADLINE_EXCEEDED`, `UNAUTHENTICATED`, …), `UNREADABLE_ANSWER` or `INTERNAL`.
   */
  readonly code: string;
  readonly message: string;
  readonly requestId: string;
}

/** Any decision, with the time it took. Status, operation and permission have few values: they can label a metric. */
export interface DecisionEvent {
  /** The status with which the request was refused; 200 when it was granted, whatever its handler answers. */
  readonly status: 200 | Exclude<Decision, { allowed: true }>['status'];
  readonly operation: Operation;
  /** As the route names it: `systems/{id}:read`. */
  readonly permission: string;
  /** From the question to the decision, in milliseconds: what the guard adds to the request. */
  readonly latencyMs: number;
  readonly requestId: string;
  /** Whether Latchkey was asked for this request, or a lease was enough. */
  readonly source: 'service' | 'lease';
}

export interface Hooks {
  /** Called for each decision, for metrics. Never gets the key. */
  readonly onDecision?: ((event: DecisionEvent) => void) | undefined;
  /** Called for each denial, for logs and metrics. Never gets the key. */
  readonly onDenied?: ((event: DenialEvent) => void) | undefined;
  /** Called for each 503, for logs and metrics. Never gets the key. */
  readonly onError?: ((event: FailureEvent) => void) | undefined;
}

/** Calls a hook. A hook that throws or rejects changes no decision and ends no process. */
export function callHook<Event>(hook: ((event: Event) => unknown) | undefined, event: Event): void {
  if (!hook) return;
  try {
    Promise.resolve(hook(event)).catch(() => undefined);
  } catch {
    // The decision stands, even if its log line is lost.
  }
}

/** Removes everything that may be a secret from an error text of another program. */
export function withoutCredentials(text: string, authorization: string): string {
  // Shorter pieces, like the word Bearer, are no secrets. Removing them would make the text hard to read.
  const secrets = authorization.split(/[\s,]+/).filter((piece) => piece.length >= 8);
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
}
