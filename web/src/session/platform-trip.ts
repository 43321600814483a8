import { keepDraft, type KeptDraft } from '../create/kept-draft';

/** How a person gets to the platform's login and back. */
export interface Platform {
  /** Where a sign-in there begins. */
  readonly signInUrl: string;
  /** Who is signed in here. */
  readonly ownerId: string;
  /** What this person had typed when they left. */
  readonly returned: KeptDraft | undefined;
}

export type Typed = Pick<KeptDraft, 'draft' | 'series'>;

/** A trip to the platform's login, which confirms that it is still they. What was typed last is there when they are back. */
export class PlatformTrip {
  private typed: Typed | undefined;
  private back: KeptDraft | undefined;

  constructor(private readonly platform: Platform) {
    this.back = platform.returned;
  }

  /** What they came back to, until it has come to something or was given up. */
  get returned(): KeptDraft | undefined {
    return this.back;
  }

  readonly remember = (typed: Typed): void => {
    this.typed = typed;
  };

  readonly forget = (): void => {
    this.typed = undefined;
    this.back = undefined;
  };

  readonly leave = (): void => {
    const { ownerId, signInUrl } = this.platform;
    if (this.typed) keepDraft({ ownerId, ...this.typed });
    location.assign(`${signInUrl}?purpose=confirmation`);
  };
}
