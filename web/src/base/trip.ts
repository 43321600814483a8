import type { AccessLevel, ApiKey, ManagedAccount, Narrower } from '../api/types';

/** How a person gets to the platform's login and back. */
export interface Platform {
  readonly signInUrl: string;
  readonly ownerId: string;
  /** What this person had typed when they left. */
  readonly returned: KeptDraft | undefined;
  /** Whether the sign-in that they come back from confirms who they are; undefined if they did not sign in. */
  readonly confirmation: 'confirmed' | 'too_old' | 'too_weak' | undefined;
}

type Remembered = Pick<KeptDraft, 'account' | 'typed' | 'series'>;

/** Sends the person to the platform's login to confirm who they are, and keeps what they typed until they are back. */
export class PlatformTrip {
  private remembered: Remembered | undefined;
  private back: KeptDraft | undefined;

  constructor(private readonly platform: Platform) {
    this.back = platform.returned;
  }

  /** The draft of a person who is back, until it is used or dropped. */
  get returned(): KeptDraft | undefined {
    return this.back;
  }

  /** The result of their sign-in, as long as the draft is there. */
  get confirmation(): Platform['confirmation'] {
    return this.back && this.platform.confirmation;
  }

  readonly remember = (remembered: Remembered): void => {
    this.remembered = remembered;
  };

  readonly forget = (): void => {
    this.remembered = undefined;
    this.back = undefined;
  };

  readonly leave = (): void => {
    const { ownerId, signInUrl } = this.platform;
    if (this.remembered) keepDraft({ ownerId, ...this.remembered });
    location.assign(`${signInUrl}?purpose=confirmation`);
  };
}

/** Shared by all attempts at one key, so that at most one key is made. */
export interface Series {
  /** The Idempotency-Key. */
  readonly key: string;
  readonly name: string;
}

/** What a person chose: a number of days, or a day on their calendar. */
export interface Expiry {
  /** A number of days, or CUSTOM. */
  readonly choice: string;
  /** Such as 2027-02-21; empty without a valid date. */
  readonly date: string;
}

export type Scope = 'all' | 'only';

export interface ChosenPermissions {
  readonly scope: Scope;
  /** Kept while the scope is `all`. */
  readonly chosen: readonly string[];
}

/** The text in the fields, as typed, without the password, which is deleted sooner. */
export interface KeyDraft {
  readonly name: string;
  readonly note: string;
  readonly access: AccessLevel;
  readonly permissions: ChosenPermissions;
  readonly expiry: Expiry;
  /** One per line. */
  readonly networks: string;
}

/** How long the old key works after the first use of the new one. */
export const GRACE_CHOICES = ['0', '3600', '86400', '604800'] as const;
export type Grace = (typeof GRACE_CHOICES)[number];

export interface RotationDraft {
  readonly grace: Grace;
  readonly expiry: Expiry;
  readonly narrower?: Narrower | undefined;
}

export type Typed =
  | { readonly form: 'create'; readonly draft: KeyDraft }
  | { readonly form: 'rotate'; readonly draft: RotationDraft; readonly replaced: ApiKey }
  /** After a lost answer the key has ended, so it cannot be rotated a second time. */
  | { readonly form: 'leaked'; readonly replaced: ApiKey; readonly hasEnded: boolean }
  | { readonly form: 'resume'; readonly replaced: ApiKey }
  /** An administrator ends or resumes the key that is open at this place, or else ends these ones. */
  | AdministratorsTyped;

interface AdministratorsTyped {
  readonly form: 'end';
  readonly resumes?: boolean;
  readonly search: string;
  readonly keys: readonly OwnedKey[];
  readonly note: string;
}

/** Built here, because the package of the panel has no types of administrators. */
type OwnedKey = ApiKey & { readonly owner: ManagedAccount & { readonly email: string } };

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
function keepDraft(kept: KeptDraft): void {
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
