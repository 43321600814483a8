import { parse } from 'node:querystring';
import express, { type Request, type RequestHandler } from 'express';
import { invalidFields, LatchkeyError } from '../../../../domain/errors.js';
import { withoutSecrets } from '../../../../domain/secrets.js';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const LIMIT = '16kb';
const OPTIONS = { limit: LIMIT, verify: requireUtf8 };

/** Whether the request announces a body, sent or not. */
export function hasBody({ headers }: Pick<Request, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The request's body becomes what its JSON says; a body of any other type is refused. */
export function jsonBodies(limit = LIMIT): RequestHandler {
  return bodies(express.json({ ...OPTIONS, limit }), JSON_TYPE, `${JSON_TYPE} in UTF-8`);
}

/** For the routes whose standard has clients send a form: its text becomes the request's body, for readForm. */
export function formBodies(): RequestHandler {
  const formInUtf8 = `${FORM_TYPE} in UTF-8`;
  return bodies(express.text({ ...OPTIONS, type: FORM_TYPE }), formInUtf8, formInUtf8);
}

/**
 * The fields of a form. A field without a value counts as absent, and none may be sent twice (RFC 6749, section 3.2).
 * @param body what `formBodies` made of it; undefined when there was none
 */
export function readForm(body: string | undefined): ReadonlyMap<string, string> {
  const fields = Object.entries(parse(body ?? '', '&', '=', { maxKeys: 0 }));
  const twice = fields.filter(([, value]) => Array.isArray(value));
  if (twice.length > 0) {
    throw invalidFields(twice.map(([field]) => ({ field: withoutSecrets(field), message: 'must be sent once' })));
  }
  return new Map(fields.filter((field): field is [string, string] => field[1] !== ''));
}

/** What Express's parsers say of a body that they can't take. */
interface Fault {
  readonly status?: number;
  readonly type?: string;
}

/** Parses, and says in our words what is wrong, before Nest takes the parser's words for its own. */
function bodies(parser: RequestHandler, type: string, typeAndCharset: string): RequestHandler {
  const problemOf = (fault: Fault) => {
    if (fault.type === 'entity.parse.failed') return new LatchkeyError('invalid_request', 'The body is not valid JSON');
    const isOfOtherCharset = fault.type === 'entity.verify.failed' || fault.status === 415;
    return isOfOtherCharset ? mustBe(typeAndCharset) : fault;
  };
  return (request, response, next) =>
    parser(request, response, (fault?: unknown) => {
      // A parser passes over what is of another type.
      const isPassedOver = hasBody(request) && request.body === undefined;
      next(fault ? problemOf(fault as Fault) : isPassedOver ? mustBe(type) : undefined);
    });
}

/** RFC 8259, 8.1. The parsers would take UTF-16 as well, which filters in front of us may not see through. */
function requireUtf8(_request: unknown, _response: unknown, _body: Buffer, charset: string): void {
  if (charset !== 'utf-8') throw new Error(`charset ${charset}`);
}

function mustBe(type: string): LatchkeyError {
  return new LatchkeyError('unsupported_media_type', `The body must be ${type}`);
}
