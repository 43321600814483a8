import type { Client } from '../../domain/audit/audit-event.js';
import { clientNetwork } from '../../domain/audit/client-network.js';
import { LatchkeyError } from '../../domain/errors.js';
import { keyProofsIn } from '../../domain/leaks/key-proof.js';
import type { LeakSite } from '../../domain/audit/leak-site.js';
import type { Requester, Audit, LeakReports } from '../ports.js';

/** Texts that may contain keys, and where they were found. */
export interface Leak extends LeakSite {
  readonly texts: readonly string[];
}

/** Accepts reports without looking up the keys: the answer and its time are the same for unknown keys. */
export class ReportLeakedKeys {
  private notify: () => void = () => undefined;

  constructor(
    private readonly reports: LeakReports,
    private readonly audit: Audit,
  ) {}

  /** Calls `listener` after each report has been committed. */
  whenReported(listener: () => void): void {
    this.notify = listener;
  }

  /** Throws `busy`, and `too_many_attempts` once the network's budget is spent, which is recorded as an event. */
  async byAnybody(leak: Leak, client: Client): Promise<void> {
    try {
      await this.take([leak], null, client, { name: clientNetwork(client.ip), isKnown: false });
    } catch (error) {
      if (error instanceof LatchkeyError && error.code === 'too_many_attempts') {
        const reason = 'too-many-reports';
        await this.audit.recordFailure({ reason, client, ownerId: null, keyId: null, publicPart: null });
      }
      throw error;
    }
  }

  /** Throws `busy`. */
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
    const reports = leaks.map(({ texts, source, url }) => ({
      reporter,
      source,
      url,
      // Joined, so that a key in several texts gives one proof.
      keys: keyProofsIn(texts.join('\n')),
    }));
    await this.reports.take(reports, requester);
    this.notify();
  }
}
