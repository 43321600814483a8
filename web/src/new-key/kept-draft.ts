import type { ApiKey } from '../api/types';
import type { KeyDraft } from '../create/form';
import type { RotationDraft } from '../rotate/form';

/** Shared by all attempts at one key, so that at most one key is made. */
export interface Series {
  /** The Idempotency-Key. */
  readonly key: string;
  readonly name: string;
}

export type Typed =
  | { readonly form: 'create'; readonly draft: KeyDraft }
  | { readonly form: 'rotate'; readonly draft: RotationDraft; readonly replaced: ApiKey }
  /** After a lost answer the key has ended, so it cannot be rotated a second time. */
  | { readonly form: 'leaked'; readonly replaced: ApiKey; readonly hasEnded: boolean }
  /** An administrator ends the key of another owner. */
  | { readonly form: 'end'; readonly keyId: string; readonly note: string };

/** What a person had typed when they left to sign in at the platform. It contains no secret. */
export interface KeptDraft {
  readonly ownerId: string;
  /** The service account that the key is for. Undefined: the person. */
  readonly account?: string | undefined;
  readonly typed: Typed;
  readonly series: Series | undefined;
}

const NAME = 'latchkey-draft';

/** Kept in this tab until the person is back. */
export function keepDraft(kept: KeptDraft): void {
  sessionStorage.setItem(NAME, JSON.stringify(kept));
}

/** Returns the draft and deletes it, so that it is used at most once. */
export function takeDraft(): KeptDraft | undefined {
  const text = sessionStorage.getItem(NAME);
  sessionStorage.removeItem(NAME);
  try {
    return text === null ? undefined : (JSON.parse(text) as KeptDraft);
  } catch {
    return undefined;
  }
}
