import { hash } from 'node:crypto';
import { inspectKey } from '../keys/key-string.js';

/** May start with characters before the marker. In URLs the dot may be percent-encoded. */
const KEY_IN_TEXT = /([a-z0-9]{1,16})_([0-9a-f]{24})(?:\.|%2[eE])([0-9a-f]{64})/g;

/** All that is stored of a reported key string. */
export interface KeyProof {
  readonly publicPart: string;
  /** SHA-256 of the key string. */
  readonly digest: Buffer;
}

/**
 * One proof for each key in a text of any kind, such as a log line. Other characters may precede the marker: the
 * checksum shows where it starts. A wrong checksum also gives a proof, which matches no key, to take the same time.
 */
export function keyProofsIn(text: string): KeyProof[] {
  const found = new Map<string, KeyProof>();
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
