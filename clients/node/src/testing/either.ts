/** Headers of requests to a route that also accepts users' tokens, and who checks each: Latchkey or the platform. */
export const EITHER: readonly (readonly [string, readonly string[], 'Latchkey' | 'platform'])[] = [
  ['a key', ['Authorization: Bearer lk_key'], 'Latchkey'],
  ['a key in another spelling of the scheme', ['authorization: BEARER lk_key'], 'Latchkey'],
  ['a key after two spaces', ['Authorization: Bearer  lk_key'], 'Latchkey'],
  ['a key without a scheme', ['Authorization: lk_key'], 'Latchkey'],
  ['a key of another scheme', ['Authorization: Token token="lk_key"'], 'Latchkey'],
  ['a key and what is none', ['Authorization: Bearer lk_'], 'Latchkey'],
  ['a token before a key', ['Authorization: Bearer eyJ.user.jwt', 'Authorization: Bearer lk_key'], 'Latchkey'],
  ['a token and a key in one', ['Authorization: Bearer eyJ.user.jwt, Bearer lk_key'], 'Latchkey'],
  ["a user's token", ['Authorization: Bearer eyJ.user.jwt'], 'platform'],
  ['a token that holds the marker', ['Authorization: Bearer eyJ.lk_a.blk_c-lk_'], 'platform'],
  ['a key under another name', ['X-Api-Key: lk_key', 'Cookie: key=lk_key'], 'platform'],
  ['nothing', [], 'platform'],
];
