import { keepDraft, type KeptDraft } from '../new-key/kept-draft';

/** How a person gets to the platform's login and back. */
export interface Platform {
  /** Where a sign-in there begins. */
  readonly signInUrl: string;
  /** Who is signed in here. */
  readonly ownerId: string;
  /** What this person had typed when they left. */
  readonly returned: KeptDraft | undefined;
}

type Remembered = Pick<KeptDraft, 'typed' | 'series'>;

/** A trip to the platform's login, which confirms that it is still they. What was typed last is there when they are back. */
export class PlatformTrip {
  private remembered: Remembered | undefined;
  private back: KeptDraft | undefined;

  constructor(private readonly platform: Platform) {
    this.back = platform.returned;
  }

  /** What they came back to, until it has come to something or was given up. */
  get returned(): KeptDraft | undefined {
    return this.back;
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
