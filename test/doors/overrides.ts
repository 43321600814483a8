/** By which a client could make another request of it than the one that was judged: frameworks know them. */
export const OVERRIDES = [
  'X-HTTP-Method-Override',
  'X-HTTP-Method',
  'X-Method-Override',
  'X-Original-URL',
  'X-Original-URI',
  'X-Original-Method',
  'X-Rewrite-URL',
];
