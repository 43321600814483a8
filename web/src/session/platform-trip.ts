import { keepDraft, type KeptDraft } from '../new-key/kept-draft';

/** How a person gets to the platform's login and back. */
export interface Platform {
  /** Where a sign-in there begins. */
  readonly signInUrl: string;
  /** Who is signed in here. */
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
