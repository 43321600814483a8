/** Headers by which a client could turn the judged request into another one, because frameworks respect them. */
export const OVERRIDES = [
  'X-HTTP-Method-Override',
  'X-HTTP-Method',
  'X-Method-Override',
  'X-Original-URL',
  'X-Original-URI',
  'X-Original-Method',
  'X-Rewrite-URL',
];
