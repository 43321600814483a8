import { parse } from 'node:querystring';
import express, { type NextFunction, type Request, type Response } from 'express';
import { invalidFields, LatchkeyError } from '../../../../domain/errors.js';
import { withoutSecrets } from '../../../../domain/keys/key-string.js';

const FORM = 'application/x-www-form-urlencoded';

/** For the routes whose standard has clients send a form: its text becomes the request's body. */
export function formBodies(limit: string) {
  return [express.text({ type: FORM, limit, verify: requireUtf8 }), requireForm, explainFault] as const;
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

function requireUtf8(_request: unknown, _response: unknown, _body: Buffer, charset: string): void {
  if (charset !== 'utf-8') throw notForm();
}

function requireForm(request: Request, _response: Response, next: NextFunction): void {
  const hasBody = request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length']) > 0;
  next(hasBody && typeof request.body !== 'string' ? notForm() : undefined);
}

/** Before what follows takes the parser's words for those about JSON. */
function explainFault(
  error: { status?: number; type?: string },
  _request: Request,
  _response: Response,
  next: NextFunction,
): void {
  next(error.status === 415 || error.type === 'entity.verify.failed' ? notForm() : error);
}

function notForm(): LatchkeyError {
  return new LatchkeyError('unsupported_media_type', `The body must be ${FORM} in UTF-8`);
}
