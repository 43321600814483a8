import type { Client } from '../../domain/audit/audit-event.js';
import { clientNetwork } from '../../domain/audit/client-network.js';
import { LatchkeyError } from '../../domain/errors.js';
import { type KeyProof, keyProofsIn } from '../../domain/leaks/key-proof.js';
import type { LeakSite } from '../../domain/audit/leak-site.js';
import type { Requester, Audit, LeakReports } from '../ports.js';

/** Texts that may contain keys, or the keys themselves, and where they were found. */
export interface Leak extends LeakSite {
  readonly texts: readonly string[];
}

/**
 * Accepts reports without looking up the keys that they name. So the answer, and the time it takes, is the same for
 * active, ended and unknown keys. EndReportedKeys processes the reports.
 */
export class ReportLeakedKeys {
  private tell: () => void = () => undefined;

  constructor(
    private readonly reports: LeakReports,
    private readonly audit: Audit,
  ) {}

  /** Calls `listener` after each report has been committed. */
  whenReported(listener: () => void): void {
    this.tell = listener;
  }

  /**
   * An anonymous report. Throws `busy`, and `too_many_attempts` once the network's budget is spent, which is recorded
   * on the audit trail.
   */
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

  /** A report by a service with an identity. Throws `busy`. */
  async byService(leaks: readonly Leak[], identity: string, client: Client): Promise<void> {
    if (leaks.length === 0) return;
    const actorId = `service:${identity}`;
    await this.take(leaks, actorId, client, { name: actorId, isKnown: true });
  }

  private async take(
    leaks: readonly Leak[],
    actorId: string | null,
    client: Client,
    requester: Requester,
  ): Promise<void> {
    const reporter = { actorId, client };
    const reports = leaks.map(({ texts, source, url }) => ({ reporter, source, url, keys: proofsIn(texts) }));
    await this.reports.take(reports, requester);
    this.tell();
  }
}

/** Each proof once: several of the texts may contain the same key. */
function proofsIn(texts: readonly string[]): KeyProof[] {
  return keyProofsIn(texts.join('\n'));
}
