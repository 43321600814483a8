/** For /openapi.json: the responses that all requests with a key share. */

export const textHeader = (description: string) => ({ description, schema: { type: 'string' } as const });

export const RATE_LIMIT_HEADERS = {
  'RateLimit-Policy': textHeader('The limit of the key: "key";q=100;w=5'),
  RateLimit: textHeader('What is left of it: "key";r=99;t=1'),
};

export const EXPIRY_HEADER = { 'Latchkey-Key-Expires': textHeader('When the key expires (RFC 3339)') };

/** What the client with the key may see unchanged. */
const MESSAGE = {
  'application/json': {
    schema: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
  },
};

export const INVALID_KEY = { status: 401, description: 'Invalid API key', content: MESSAGE } as const;
export const KEY_LIMITED = {
  status: 429,
  description: 'The rate limit is exceeded',
  headers: { ...RATE_LIMIT_HEADERS, 'Retry-After': textHeader('Whole seconds, rounded up') },
  content: MESSAGE,
} as const;
export const KEY_FORBIDDEN = {
  status: 403,
  headers: {
    ...RATE_LIMIT_HEADERS,
    'WWW-Authenticate': textHeader('Bearer error="insufficient_scope", scope="systems:write"'),
  },
  content: MESSAGE,
} as const;
export const KEY_UNJUDGED = {
  status: 503,
  description: 'A store is unavailable: no request is let through',
  content: MESSAGE,
} as const;
