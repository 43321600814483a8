import { Inject, type Type } from '@nestjs/common';
import type { RequestHandler } from 'express';
import { nothingHere } from '#domain/errors.js';

/** `composition/doors.ts` registers a door, which is then served, described in /openapi.json, timed and traced. */
export interface HttpDoor {
  readonly controllers?: readonly Type[];
  /** What only its controllers can inject, by class. */
  readonly instances?: readonly object[];
  /**
   * Policies by path, for paths that differ from the default. The default under /v1: changes from pages of other sites
   * are refused, a body is JSON of at most 16 kB, and responses are not stored. Elsewhere no body is read.
   */
  readonly policies?: Readonly<Record<`/${string}`, PathPolicy>>;
}

export interface PathPolicy {
  /** For this path and those below it. They run in this order, after the check for pages of other sites. */
  readonly handlers?: readonly RequestHandler[];
  /**
   * Whether a request to exactly this path describes another request. Its headers are then about that request, and an
   * answer to a preflight would count as a grant, so CORS, the check for other sites and body parsing are all off.
   */
  readonly isAboutAnotherRequest?: boolean;
  /** Whether programs call it regularly. Success is then logged at debug only. */
  readonly isProbe?: boolean;
  /** Whether the handlers have no routes of their own, so that metrics and traces report requests under this path. */
  readonly isOneRoute?: boolean;
}

/** Injects the configuration. A controller names the settings that it reads by its type. */
export const FromConfig = () => Inject(FromConfig);

/** For a path that the settings leave out: it answers like one that does not exist. */
export const notServed: RequestHandler = (_request, _response, next) => next(nothingHere());
