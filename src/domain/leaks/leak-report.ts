import type { Actor } from '../audit/audit-event.js';
import type { LeakSite } from '../audit/event-details.js';
import { tooManyAttempts } from '../accounts/passwords.js';
import { gcra, type RateLimit } from '../rate-limit.js';
import { hash } from 'node:crypto';
import { readImported } from '../keys/imported-key.js';
import { inspectKey, type KeyProof } from '../keys/key-string.js';
import { importedStrings } from '../secrets.js';

/** The part of a report that is stored until its keys have ended. */
export interface LeakReport extends LeakSite {
  /** Without a name when the report is anonymous. */
  readonly reporter: Actor;
  /** Empty when no text of the report was shaped like a key. */
  readonly keys: readonly KeyProof[];
}

/** What a request with reports takes from the budget of its sender. */
export interface ReportCharge {
  /** Its `burst` is the whole budget. */
  readonly budget: RateLimit;
  /** At most the whole budget. */
  readonly cost: number;
}

/** Of a network: 60 requests at once, then one a minute. */
export const REQUESTS_OF_NETWORK: RateLimit = { burst: 60, perSecond: 60 / 3600 };
/** Of a service: 20,000 found keys at once, then as many an hour. That is ten of the longest lists. */
export const FINDINGS_OF_SERVICE: RateLimit = { burst: 20_000, perSecond: 20_000 / 3600 };

/** Returns when the budget is full again after this charge. Throws `too_many_attempts`. */
export function spendBudget({ budget, cost }: ReportCharge, fullAt: Date | undefined, now: Date): Date {
  const micros = (at: Date) => at.getTime() * 1000;
  // A charge of n counts as one request under an n-th of the limit.
  const limit = { burst: budget.burst / cost, perSecond: budget.perSecond / cost };
  const { tat, decision } = gcra(limit, fullAt && micros(fullAt), micros(now));
  if (!decision.admitted) throw tooManyAttempts(Math.ceil(decision.retryAfterMicros / 1_000_000));
  return new Date(Math.ceil(tat / 1000));
}

/** After this time, a turn starts to end no more keys of its report. The remaining keys wait for another turn. */
export const TURN_MS = 2000;

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 8000;

/** The pause after a turn in which keys could not be ended. Short, because these keys still work. */
export function pauseAfterTurn(tries: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS);
}

/** May start with characters before the marker. In URLs the dot may be percent-encoded. */
const KEY_IN_TEXT = /([a-z0-9]{1,16})_([0-9a-f]{24})(?:\.|%2[eE])([0-9a-f]{64})/g;

/** More than the longest imported key, and few enough to search quickly. */
const LONGEST_SEARCHED = 600;

/** What may follow its prefix, at most: an imported key may end at a space or a quote, in a query string or list, or in a path. */
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
  for (const proof of importedKeysIn(text, importPrefixes)) found.set(proof.digest.toString('hex'), proof);
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

function importedKeysIn(text: string, prefixes: readonly string[]): KeyProof[] {
  const mayBe = CHARACTERS.flatMap((characters) => {
    const pattern = importedStrings(prefixes, characters);
    const strings = pattern ? [...text.matchAll(pattern)].map(([string]) => string.slice(0, LONGEST_SEARCHED)) : [];
    return strings.flatMap((string) => [string, string.replace(END_OF_SENTENCE, '')]);
  });
  return [...new Set(mayBe.flatMap((string) => [string, decoded(string)]))].flatMap(
    (each) => readImported(each, prefixes) ?? [],
  );
}

/** URLs encode some characters of a key. */
function decoded(string: string): string {
  return string.replace(/%([2-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
