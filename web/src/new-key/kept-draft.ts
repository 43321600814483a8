import type { ApiKey } from '../api/types';
import type { KeyDraft } from '../create/form';
import type { RotationDraft } from '../rotate/form';

/** All attempts at one key share it, so that at most one key comes of them. */
export interface Series {
  /** The Idempotency-Key. */
  readonly key: string;
  readonly name: string;
}

export type Typed =
  | { readonly form: 'create'; readonly draft: KeyDraft }
  | { readonly form: 'rotate'; readonly draft: RotationDraft; readonly replaced: ApiKey };

/** What a person had typed when they left to sign in at the platform. There is no secret in it. */
export interface KeptDraft {
  readonly ownerId: string;
  readonly typed: Typed;
  readonly series: Series | undefined;
}

const NAME = 'latchkey-typed';

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
