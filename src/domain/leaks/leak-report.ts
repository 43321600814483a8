import type { Actor } from '../audit/audit-event.js';
import type { KeyProof } from './key-proof.js';
import type { LeakSite } from '../audit/leak-site.js';

/** The part of a report that is stored until its keys have ended. */
export interface LeakReport extends LeakSite {
  /** Without a name when the report is anonymous. */
  readonly reporter: Actor;
  /** Empty when no text of the report was shaped like a key. */
  readonly keys: readonly KeyProof[];
}
