/** Headers that frameworks respect, by which a client could turn the validated request into another one. */
export const OVERRIDES = [
  'X-HTTP-Method-Override',
  'X-HTTP-Method',
  'X-Method-Override',
  'X-Original-URL',
  'X-Original-URI',
  'X-Original-Method',
  'X-Rewrite-URL',
  'X-Override-URL',
  'X-Original-Path',
  'X-Forwarded-Path',
  'X-Method',
];
