import type { Actor } from '../audit/audit-event.js';
import type { KeyProof } from './key-proof.js';
import type { LeakSite } from '../audit/leak-site.js';

/** One report: everything of it that is kept until its keys have ended. */
export interface LeakReport extends LeakSite {
  /** Without a name where the report is one that anybody may send. */
  readonly reporter: Actor;
  /** None where no text of the report had the shape of a key. */
  readonly keys: readonly KeyProof[];
}
