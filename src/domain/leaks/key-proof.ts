import { hash } from 'node:crypto';
import { inspectKey } from '../keys/key-string.js';

/** With what stands before the marker, and with a dot as URLs may have it. */
const KEY_IN_TEXT = /([a-z0-9]{1,16})_([0-9a-f]{24})(?:\.|%2[eE])([0-9a-f]{64})/g;

/** What identifies a key and what proves it: all that is kept of a key string that was reported. */
export interface KeyProof {
  readonly publicPart: string;
  /** SHA-256 of the key string. */
  readonly digest: Buffer;
}

/**
 * Of each key in a text of any kind, a line of a log too, each once. Where its marker begins is for the checksum to say.
 * What has the shape of a key and a wrong checksum gives a proof too, of nothing: it is the same work as a real key.
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
