import { randomUUID } from 'node:crypto';
import type { Credential } from '../../../src/domain/keys/credential.js';
import { type Operation, operationOf as operationOfMethod } from './operation.js';

/** One request of a client, as an HTTP adapter reads it. */
export interface Question {
  /** Every value of the Authorization header as it came, in order. Empty when the header was missing. */
  readonly authorization: readonly string[];
  /** The key itself, if it was found elsewhere, as in `X-API-Key`. Then `authorization` is not read. */
  readonly apiKey?: string | undefined;
  /** The HTTP method, in capitals. */
  readonly method: string;
  /** What the request does, where the method does not show it (a search by POST). Default: derived from the method. */
  readonly operation?: Operation | undefined;
  /** The `resource:action` that the request needs. Empty or absent: any good key is enough. */
  readonly permission?: string | undefined;
  /** The permission as its route names it, such as `systems/{id}:read`, for hooks. Default: `permission`. */
  readonly template?: string | undefined;
  /** For the audit log: the client's address, its User-Agent, and the id of this request (default: a new one). */
  readonly clientIp?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly requestId?: string | undefined;
}

/** A question in the form that the service accepts. */
export interface PreparedQuestion {
  readonly requestId: string;
  readonly credential: Credential;
  readonly operation: Operation;
  readonly permission: string;
  readonly clientIp: string;
  readonly userAgent: string;
}

// `Bearer ` and the longest key string, an imported one of 512 characters, have 519 together. A longer text is not a key,
// so cutting it does not change the verdict.
const maxCredentialLength = 4096;
const maxUserAgentLength = 256;
const maxRequestIdLength = 128;
/** A gRPC string is UTF-8, which cannot encode half a surrogate pair. */
const halfPairs = /\p{Cs}/gu;

/** Makes a question that can be sent, whatever bytes the client put into its headers. */
export function prepare(question: Question, operationOf = operationOfMethod): PreparedQuestion {
  return {
    requestId: requestIdOf(question),
    credential: credentialOf(question),
    operation: question.operation ?? operationOf(question.method),
    permission: question.permission ?? '',
    clientIp: question.clientIp ?? '',
    userAgent: tidy(question.userAgent, maxUserAgentLength),
  };
}

export function requestIdOf({ requestId }: Question): string {
  return tidy(requestId, maxRequestIdLength) || randomUUID();
}

/** What is sent. Several Authorization headers are sent as an empty one, which the service denies and records. */
export function credentialOf({ authorization, apiKey }: Question): Credential {
  if (apiKey !== undefined) return { apiKey: sendable(apiKey) };
  return { authorization: authorization.length === 1 ? sendable(authorization[0]!) : '' };
}

export function textOf(credential: Credential): string {
  return 'apiKey' in credential ? credential.apiKey : credential.authorization;
}

function sendable(text: string): string {
  return text.slice(0, maxCredentialLength).toWellFormed();
}

function tidy(text: string | undefined, maxLength: number): string {
  return (text ?? '')
    .replace(/\p{Cc}/gu, '')
    .slice(0, maxLength)
    .replace(halfPairs, '');
}
