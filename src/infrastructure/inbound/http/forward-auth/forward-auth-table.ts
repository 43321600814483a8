import type { ForwardAuthRoute } from '#config/forward-auth-routes.js';
import type { Question } from '#domain/keys/verdict.js';
import { fillIn, nameOf } from '#domain/accounts/permission.js';
import { CLOSED, operationOf } from '../../shared/request-facts.js';

interface Pattern extends ForwardAuthRoute {
  readonly segments: readonly string[];
  /** The names of its segments, each with its index. */
  readonly names: readonly (readonly [string, number])[];
}

/** Maps a method and a path to the question for the service. The first matching route counts. */
export class ForwardAuthTable {
  private readonly routes: readonly Pattern[];

  constructor(routes: readonly ForwardAuthRoute[]) {
    this.routes = routes.map((route) => ({ ...route, ...patternOf(route.path) }));
  }

  /**
   * Undefined if no route matches. No key may do what it returns for a segment that cannot be part of a permission.
   * @param path decoded and in normal form. So what was encoded has no place in a permission: only other characters are
   *   ever encoded
   */
  questionFor(method: string, path: string): Question | undefined {
    const segments = segmentsOf(path);
    const route = this.routes.find((known) => takes(known.method, method) && covers(known.segments, segments));
    if (!route) return undefined;
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

/** A slash at the end is ignored, as most servers ignore it. */
function segmentsOf(path: string): string[] {
  return path.replace(/\/$/, '').split('/').slice(1);
}
