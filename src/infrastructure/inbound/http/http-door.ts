import type { Type } from '@nestjs/common';
import type { RequestHandler } from 'express';

/**
 * Addresses that we answer over HTTP. A door that is registered in `composition/doors.ts` is served, described in
 * /openapi.json, timed and traced, and its paths follow its policies.
 */
export interface HttpDoor {
  readonly controllers?: readonly Type[];
  /** What its controllers can inject, by class, in addition to what every controller can inject. */
  readonly instances?: readonly object[];
  /**
   * Policies by path, for paths that differ from the default. The default under /v1: changes from pages of other sites
   * are refused, a body is JSON of at most 16 kB, and responses are not stored. Elsewhere no body is read.
   */
  readonly policies?: Readonly<Record<`/${string}`, PathPolicy>>;
}

export interface PathPolicy {
  /**
   * What a request to the path, or to a path below it, passes before it reaches a controller: a check of the caller, a
   * parser for another kind of body, static files. They run in this order, after the check for pages of other sites.
   */
  readonly handlers?: readonly RequestHandler[];
  /**
   * Whether a request to exactly this path describes another request. Its headers may then name any origin and any
   * body, it changes nothing, and an answer to a preflight would count as a grant. So CORS, the check for pages of
   * other sites and the reading of bodies are all off.
   */
  readonly isAboutAnotherRequest?: boolean;
  /** Whether programs call it regularly. A healthy result is then logged at debug only. */
  readonly isProbe?: boolean;
  /** Whether the handlers have no routes of their own, so that metrics and traces report requests under this path. */
  readonly isOneRoute?: boolean;
}
