import type { KeyDraft } from './form';

/** All attempts of one creation share it, so that at most one key comes of them. */
export interface Series {
  /** The Idempotency-Key. */
  readonly key: string;
  readonly name: string;
}

/** What a person had typed when they left to sign in at the platform. There is no secret in it. */
export interface KeptDraft {
  readonly ownerId: string;
  readonly draft: KeyDraft;
  readonly series: Series | undefined;
}

const NAME = 'latchkey-draft';

/** For the trip there and back, in this tab alone. */
export function keepDraft(kept: KeptDraft): void {
  sessionStorage.setItem(NAME, JSON.stringify(kept));
}

/** Once: whoever does not come back for it has given it up. */
export function takeDraft(): KeptDraft | undefined {
  const text = sessionStorage.getItem(NAME);
  sessionStorage.removeItem(NAME);
  try {
    return text === null ? undefined : (JSON.parse(text) as KeptDraft);
  } catch {
    return undefined;
  }
}
