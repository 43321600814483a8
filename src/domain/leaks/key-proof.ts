import { hash } from 'node:crypto';
import { ForeignKey } from '../keys/foreign-key.js';
import { inspectKey } from '../keys/key-string.js';
import { foreignStrings } from '../secrets.js';

/** May start with characters before the marker. In URLs the dot may be percent-encoded. */
const KEY_IN_TEXT = /([a-z0-9]{1,16})_([0-9a-f]{24})(?:\.|%2[eE])([0-9a-f]{64})/g;

/** All that is stored of a reported key string. */
export interface KeyProof {
  readonly publicPart: string;
  /** SHA-256 of the key string. */
  readonly digest: Buffer;
}

/** More than the longest foreign key, and few enough to search quickly. */
const LONGEST_SEARCHED = 600;

/** What may follow its prefix, at most: a foreign key may end at a space or a quote, in a query string or list, or in a path. */
const CHARACTERS = [undefined, '[\\w.~+/=|:%-]', '[\\w-]'];
const END_OF_SENTENCE = /[.,:;!?)\]}]+$/;

/**
 * One proof for each key in a text of any kind, such as a log line. Other characters may precede the marker: the
 * checksum shows where it starts. A wrong checksum also gives a proof, which matches no key, to take the same time.
 * A string that begins like an imported key gives a proof for each place where it may end.
 * @param importPrefixes how imported keys begin
 */
export function keyProofsIn(text: string, importPrefixes: readonly string[] = []): KeyProof[] {
  const found = new Map<string, KeyProof>();
  for (const foreign of foreignKeysIn(text, importPrefixes)) {
    const digest = foreign.digest();
    found.set(digest.toString('hex'), { publicPart: foreign.publicPart, digest });
  }
  for (const [shape, word, publicPart, secretPart] of text.matchAll(KEY_IN_TEXT)) {
    const digests: Buffer[] = [];
    for (let start = 0; start < word!.length; start += 1) {
      const keyString = inspectKey(`${word!.slice(start)}_${publicPart}.${secretPart}`)?.keyString;
      if (keyString) digests.push(keyString.digest());
    }
    if (digests.length === 0) digests.push(hash('sha256', shape, 'buffer'));
    for (const digest of digests) found.set(digest.toString('hex'), { publicPart: publicPart!, digest });
  }
  return [...found.values()];
}

function foreignKeysIn(text: string, prefixes: readonly string[]): ForeignKey[] {
  const mayBe = CHARACTERS.flatMap((characters) => {
    const pattern = foreignStrings(prefixes, characters);
    const strings = pattern ? [...text.matchAll(pattern)].map(([string]) => string.slice(0, LONGEST_SEARCHED)) : [];
    return strings.flatMap((string) => [string, string.replace(END_OF_SENTENCE, '')]);
  });
  return [...new Set(mayBe.flatMap((string) => [string, decoded(string)]))].flatMap(
    (each) => ForeignKey.parse(each, prefixes) ?? [],
  );
}

/** URLs encode some characters of a key. */
function decoded(string: string): string {
  return string.replace(/%([2-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
