/** RFC 3986, 3.3: all that a path may hold as it is, but for `;`, behind which some servers look for parameters. */
const PATH = /^\/(?:[\w\-.~!$&'()*+,=:@/]|%[0-9a-f]{2})*$/i;
/** Letters, digits and -._~ have one spelling in the normal form (6.2.2.2); who encodes them has something to hide. */
const NEEDLESSLY_ENCODED = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/i;
/** / % ; ? # \ */
const ENCODED_DELIMITER = /%(?:2[35f]|3[bf]|5c)/i;
/** What a segment must not read as, to servers that decode once more, fold look-alikes or trim blanks. */
const TREACHEROUS = /[\p{Cc}\p{Zl}\p{Zp}%;?#\\]|\/\/|\/[.\s]+(?:\/|$)/u;
/** What is not seen, and what some servers therefore leave out: file systems, and those that compare names as people do. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
/** What becomes / \ or % in an older character set (Windows' best fit; ¥ and ₩ in Japanese and Korean), or looks like it. */
const LIKE_DELIMITERS = /[\u2044\u2215\u2571\u27cb\u29f8\u2216\u2572\u27cd\u29f5\u29f9\u00a5\u20a9\u066a]/;

/**
 * The path of a request target, decoded, without its query: what routes are matched with.
 *
 * @returns undefined for every target that two servers could understand in two ways: a dot segment, an empty one, an
 * encoded delimiter or its look-alike, a control or invisible character, a fragment, text that is not UTF-8, another
 * spelling of the same path
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
