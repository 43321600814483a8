import type { ValidateKey } from '#application/validation/validate-key.js';
import type { ForwardAuthRoute } from '#config/forward-auth-routes.js';
import type { CredentialForm } from '#domain/keys/credential.js';
import type { Question } from '#domain/keys/verdict.js';
import { fillIn, nameOf } from '#domain/accounts/permission.js';
import type { Log } from '#infrastructure/telemetry/log.js';
import { normalPath } from './normal-path.js';
import { CLOSED, operationOf } from './request-facts.js';

/** What a door needs that decides for a proxy. */
export interface ProxyParts {
  readonly validateKey: ValidateKey;
  readonly log: Log;
  /** Where a credential may stand. */
  readonly credentials: readonly CredentialForm[];
  readonly routes: RouteTable | undefined;
}

interface Pattern extends ForwardAuthRoute {
  readonly segments: readonly string[];
  /** The names of its segments, each with its index. */
  readonly names: readonly (readonly [string, number])[];
}

/** A request as the proxy received it. */
export interface RoutedRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** The host that the client called, in any spelling, with its port. Undefined: unknown. */
  readonly host?: string | undefined;
}

/** Maps method, host and path to the question for the service. The first matching route counts. */
export class RouteTable {
  private readonly routes: readonly Pattern[];

  constructor(routes: readonly ForwardAuthRoute[]) {
    this.routes = routes.map((route) => ({ ...route, ...patternOf(route.path) }));
  }

  /**
   * Undefined if no route matches. No key may do what it returns for a segment that cannot be part of a permission.
   * The path is decoded and in normal form. So what was encoded has no place in a permission: only other characters are
   * ever encoded.
   */
  questionFor({ method, target, host }: RoutedRequest): Question | undefined {
    const path = normalPath(target);
    if (path === undefined) return undefined;
    const [segments, asked] = [segmentsOf(path), hostName(host)];
    const route = this.routes.find(
      // Of a request to an unknown host nobody knows whether an entry with a host is about it, so no later entry counts.
      (known) =>
        takes(known.method, method) &&
        covers(known.segments, segments) &&
        [undefined, asked ?? known.host].includes(known.host),
    );
    if (!route || (route.host !== undefined && asked === undefined)) return undefined;
    const permission = fillIn(route.permission, new Map(route.names.map(([name, index]) => [name, segments[index]!])));
    return permission === undefined ? CLOSED : { operation: route.operation ?? operationOf(method), permission };
  }
}

/** A named segment matches like `*`. */
function patternOf(path: string): Pick<Pattern, 'segments' | 'names'> {
  const parts = segmentsOf(path);
  const names = parts.flatMap((part, index) => (nameOf(part) === undefined ? [] : [[nameOf(part)!, index] as const]));
  return { segments: parts.map((part) => (nameOf(part) === undefined ? part : '*')), names };
}

/** Methods are case-sensitive (RFC 9110, 9.1). A route that allows GET allows HEAD too. */
function takes(known: string, method: string): boolean {
  return known === '*' || known === method || (known === 'GET' && method === 'HEAD');
}

function covers(pattern: readonly string[], segments: readonly string[]): boolean {
  const isOpenEnded = pattern.at(-1) === '**';
  const named = isOpenEnded ? pattern.slice(0, -1) : pattern;
  if (isOpenEnded ? segments.length < named.length : segments.length !== named.length) return false;
  return named.every((part, index) => part === '*' || part === segments[index]);
}

const HOST = /^([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?(?::\d*)?$/;

/** In lower case, without port and final dot. Undefined for a text that is no single name. */
function hostName(host: string | undefined): string | undefined {
  return host === undefined ? undefined : HOST.exec(host.toLowerCase())?.[1];
}

/** A slash at the end is ignored, as most servers ignore it. */
function segmentsOf(path: string): string[] {
  return path.replace(/\/$/, '').split('/').slice(1);
}
