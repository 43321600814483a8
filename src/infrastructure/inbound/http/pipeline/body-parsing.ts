import { isUtf8 } from 'node:buffer';
import { parse } from 'node:querystring';
import express, { type RequestHandler } from 'express';
import { invalidFields, LatchkeyError } from '#domain/errors.js';
import { withoutSecrets } from '#domain/secrets.js';
import { hasBody } from '../../shared/request-facts.js';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const LIMIT = '16kb';
const NOT_UTF8 = 'entity.not.utf8';
const OPTIONS = { limit: LIMIT, verify: requireUtf8 };

export function jsonBodies(limit = LIMIT): RequestHandler {
  return bodies(express.json({ ...OPTIONS, limit }), JSON_TYPE, `${JSON_TYPE} in UTF-8`);
}

/** Makes the form's text the request's body, for readForm. */
export function formBodies(): RequestHandler {
  const formInUtf8 = `${FORM_TYPE} in UTF-8`;
  return bodies(express.text({ ...OPTIONS, type: FORM_TYPE }), formInUtf8, formInUtf8);
}

/** A field without a value counts as absent, and none may be sent twice (RFC 6749, section 3.2). */
export function readForm(body: string | undefined): ReadonlyMap<string, string> {
  if (!isEncodedUtf8(body ?? '')) throw notUtf8();
  const fields = Object.entries(parse(body ?? '', '&', '=', { maxKeys: 0 }));
  const twice = fields.filter(([, value]) => Array.isArray(value));
  if (twice.length > 0) {
    throw invalidFields(twice.map(([field]) => ({ field: withoutSecrets(field), message: 'must be sent once' })));
  }
  return new Map(fields.filter((field): field is [string, string] => field[1] !== ''));
}

/** The errors of Express's body parsers. */
interface Fault {
  readonly status?: number;
  readonly type?: string;
  /** In bytes, of a body that is larger. */
  readonly limit?: number;
}

/** Runs a parser and answers its errors in our words, before Nest can pass on the parser's. */
function bodies(parser: RequestHandler, type: string, typeAndCharset: string): RequestHandler {
  const problemOf = (fault: Fault) => {
    if (fault.type === 'entity.parse.failed') return new LatchkeyError('invalid_request', 'The body is not valid JSON');
    if (fault.type === NOT_UTF8) return notUtf8();
    if (fault.limit !== undefined) {
      return new LatchkeyError('payload_too_large', `The body is too large: at most ${fault.limit / 1024} kB are read`);
    }
    const isOfOtherCharset = fault.type === 'entity.verify.failed' || fault.status === 415;
    return isOfOtherCharset ? mustBe(typeAndCharset) : fault;
  };
  return (request, response, next) =>
    parser(request, response, (fault?: unknown) => {
      // The parser ignored a body of another type.
      const isPassedOver = hasBody(request) && request.body === undefined;
      next(fault ? problemOf(fault as Fault) : isPassedOver ? mustBe(type) : undefined);
    });
}

/**
 * RFC 8259, 8.1. The parsers also accept UTF-16, which filters in front of us may not be able to read, and replace bytes
 * that are not UTF-8: a name or a password would become another one.
 */
function requireUtf8(_request: unknown, _response: unknown, body: Buffer, charset: string): void {
  if (charset !== 'utf-8') throw new Error(`charset ${charset}`);
  if (!isUtf8(body)) throw Object.assign(new Error('not UTF-8'), { type: NOT_UTF8 });
}

/** Whether the percent-encoded bytes of a form are UTF-8. A `%` that encodes nothing stands for itself. */
function isEncodedUtf8(form: string): boolean {
  try {
    decodeURIComponent(form.replace(/%(?![0-9A-Fa-f]{2})/g, ''));
    return true;
  } catch {
    return false;
  }
}

function notUtf8(): LatchkeyError {
  return new LatchkeyError('invalid_request', 'The body is not valid UTF-8: send it in this encoding, not in Latin-1');
}

function mustBe(type: string): LatchkeyError {
  return new LatchkeyError('unsupported_media_type', `The body must be ${type}`);
}
