import type { Client } from '../../application/audit.js';
import { isPermission } from '../../domain/access.js';
import { requireFields } from '../../domain/errors.js';
import { readBearer } from '../../domain/key-string.js';
import type { Question } from '../../domain/verdict.js';
import { clientFacts } from '../client-facts.js';
import { OPERATION } from './enums.js';
import type { ValidateKeyRequest__Output } from './generated/latchkey/v1/ValidateKeyRequest.js';

/** Throws `invalid_fields` for a broken call; an unreadable credential is none, for the use case to refuse. */
export function readQuestion(request: ValidateKeyRequest__Output): {
  credential: string | undefined;
  question: Question;
  client: Client;
} {
  const operation = OPERATION[request.operation];
  const { permission, apiKey, authorization } = request;
  requireFields({
    credential: request.credential ? undefined : 'is unset: set api_key or authorization',
    operation: operation ? undefined : 'must be one of the named operations',
    permission: !permission || isPermission(permission) ? undefined : 'must read resource:action',
  });
  return {
    credential: apiKey ?? readBearer([authorization!]),
    question: { operation: operation!, permission },
    client: clientFacts({ ip: request.clientIp, userAgent: request.userAgent, requestId: request.requestId }),
  };
}
