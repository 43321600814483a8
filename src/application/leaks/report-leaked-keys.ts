import type { Client } from '../../domain/audit/audit-event.js';
import { clientNetwork } from '../../domain/audit/client-network.js';
import { LatchkeyError } from '../../domain/errors.js';
import { type KeyProof, keyProofsIn } from '../../domain/leaks/key-proof.js';
import type { LeakSite } from '../../domain/audit/leak-site.js';
import type { Asker, Audit, LeakReports } from '../ports.js';

/** Texts that are said to hold keys, such as the keys themselves, and where they stood. */
export interface Leak extends LeakSite {
  readonly texts: readonly string[];
}

/**
 * Takes reports, and asks for nothing that they name: the answer is the same, and as fast, for a key that is good, ended or
 * unknown. EndReportedKeys works them off.
 */
export class ReportLeakedKeys {
  private tell: () => void = () => undefined;

  constructor(
    private readonly reports: LeakReports,
    private readonly audit: Audit,
  ) {}

  /** Has `listener` called at each report that is on record. */
  whenReported(listener: () => void): void {
    this.tell = listener;
  }

  /** Open to all. Throws `too_many_attempts` for a network past its budget, which is on record then, and `busy`. */
  async byAnybody(leak: Leak, client: Client): Promise<void> {
    try {
      await this.take([leak], null, client, { name: clientNetwork(client.ip), isKnown: false });
    } catch (error) {
      if (error instanceof LatchkeyError && error.code === 'too_many_attempts') {
        await this.audit.recordFailure({
          reason: 'too-many-reports',
          client,
          ownerId: null,
          keyId: null,
          publicPart: null,
        });
      }
      throw error;
    }
  }

  /** By a service with an identity. Throws `busy`. */
  async byService(leaks: readonly Leak[], identity: string, client: Client): Promise<void> {
    if (leaks.length === 0) return;
    const actorId = `service:${identity}`;
    await this.take(leaks, actorId, client, { name: actorId, isKnown: true });
  }

  private async take(leaks: readonly Leak[], actorId: string | null, client: Client, asker: Asker): Promise<void> {
    const reporter = { actorId, client };
    const reports = leaks.map(({ texts, source, url }) => ({ reporter, source, url, keys: proofsIn(texts) }));
    await this.reports.take(reports, asker);
    this.tell();
  }
}

/** Each once: the same key may stand in several of the texts. */
function proofsIn(texts: readonly string[]): KeyProof[] {
  return keyProofsIn(texts.join('\n'));
}
