import type { Words } from './words.js';

/** The words of one mail, and what is the same in all of them. */
export interface Letter extends Words {
  readonly greeting: string;
  /** The settings screen, with the key opened. */
  readonly url: string;
  /** Why they get the mail. */
  readonly footer: string;
}
