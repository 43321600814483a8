import type { Question } from '../../../../domain/keys/verdict.js';
import type { ForwardAuthRoute } from '../../../../config/forward-auth-routes.js';
import { operationOf } from '../../shared/operation-of.js';

/** Maps a method and a path to the question for the service. The first matching route counts. */
export class ForwardAuthTable {
  private readonly routes: readonly (ForwardAuthRoute & { readonly segments: readonly string[] })[];

  constructor(routes: readonly ForwardAuthRoute[]) {
    this.routes = routes.map((route) => ({ ...route, segments: segmentsOf(route.path) }));
  }

  /**
   * Undefined if no route matches.
   * @param path decoded and in normal form
   */
  questionFor(method: string, path: string): Question | undefined {
    const segments = segmentsOf(path);
    const route = this.routes.find((known) => takes(known.method, method) && covers(known.segments, segments));
    if (!route) return undefined;
    return { operation: route.operation ?? operationOf(method), permission: route.permission };
  }
}

/** Methods are case-sensitive (RFC 9110, 9.1). A route that allows GET allows HEAD too. */
function takes(known: string, method: string): boolean {
  return known === '*' || known === method || (known === 'GET' && method === 'HEAD');
}

function covers(pattern: readonly string[], segments: readonly string[]): boolean {
  const isOpenEnded = pattern.at(-1) === '**';
  const named = isOpenEnded ? pattern.slice(0, -1) : pattern;
  if (isOpenEnded ? segments.length < named.length : segments.length !== named.length) return false;
  return named.every((name, index) => name === '*' || name === segments[index]);
}

/** A slash at the end is ignored, as most servers ignore it. */
function segmentsOf(path: string): string[] {
  return path.replace(/\/$/, '').split('/').slice(1);
}
