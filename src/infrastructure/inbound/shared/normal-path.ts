/** RFC 3986, 3.3: what a path may contain unencoded, except `;`, after which some servers look for parameters. */
const PATH = /^\/(?:[\w\-.~!$&'()*+,=:@/]|%[0-9a-f]{2})*$/i;
/** The normal form never encodes letters, digits and -._~ (RFC 3986, 6.2.2.2). */
const NEEDLESSLY_ENCODED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/i;
/** / % ; ? # \ */
const ENCODED_DELIMITER = /%(?:2[35f]|3[bf]|5c)/i;
/** Dangerous once decoded: other servers may decode again, replace characters by similar ones, or trim blanks. */
const TREACHEROUS = /[\p{Cc}\p{Zl}\p{Zp}%;?#\\]|\/\/|\/[.\s]+(?:\/|$)/u;
/** Invisible characters, which some servers leave out: file systems, and programs that compare names loosely. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
/** Look like / \ or %, or turn into them in older character sets (Windows' best fit; ¥ and ₩). */
const LIKE_DELIMITERS = /[\u2044\u2215\u2571\u27cb\u29f8\u2216\u2572\u27cd\u29f5\u29f9\u00a5\u20a9\u066a]/;

/**
 * Decodes the path of a request target, without its query. Routes are matched with the result.
 *
 * @returns undefined for every target that two servers could understand differently: a dot segment, an empty segment,
 *   an encoded delimiter or one that looks like it, a control or invisible character, a fragment, text that is not
 *   UTF-8, another spelling of the same path
 */
export function normalPath(target: string): string | undefined {
  if (target.includes('#')) return undefined;
  const raw = target.split('?', 1)[0]!;
  if (!PATH.test(raw) || NEEDLESSLY_ENCODED.test(raw) || ENCODED_DELIMITER.test(raw)) return undefined;
  const path = decode(raw);
  if (path === undefined) return undefined;
  const folded = path.normalize('NFKC');
  const isTreacherous = [TREACHEROUS, INVISIBLE, LIKE_DELIMITERS].some((pattern) => pattern.test(folded));
  return isTreacherous || slashes(path) !== slashes(folded) ? undefined : path;
}

function decode(raw: string): string | undefined {
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}

function slashes(path: string): number {
  return path.split('/').length;
}
