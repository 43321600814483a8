import type { Type } from '@nestjs/common';
import type { RequestHandler } from 'express';

/**
 * Addresses that we answer over HTTP. Registered in `composition/doors.ts`, its controllers are served, described in
 * /openapi.json, timed and traced, and its paths are treated as its policies say.
 */
export interface HttpDoor {
  readonly controllers?: readonly Type[];
  /** What its controllers get by class, in addition to what every controller may get. */
  readonly instances?: readonly object[];
  /**
   * By path, for those that differ from the rest. Under /v1 the rest is: a page of another site changes nothing, a body is JSON
   * of at most 16 kB, and no answer is stored. Elsewhere no body is read.
   */
  readonly policies?: Readonly<Record<`/${string}`, PathPolicy>>;
}

export interface PathPolicy {
  /**
   * What a request to the path, or to one below it, passes before it reaches a controller: a check of the caller, a parser of
   * another kind of body, files that answer it. In their order, behind the check for pages of other sites.
   */
  readonly handlers?: readonly RequestHandler[];
  /**
   * Whether a request to this very path describes another one. Its headers may name any origin and any body, nothing is
   * changed, and an answer to a preflight would count as a grant: so there is no CORS, no check for pages of other sites, and no
   * body is read.
   */
  readonly isAboutAnotherRequest?: boolean;
  /** Whether programs ask it again and again: that all is well is then logged at debug alone. */
  readonly isProbe?: boolean;
  /** Whether the handlers have no routes of their own, so that requests are reported under this path. */
  readonly isOneRoute?: boolean;
}
