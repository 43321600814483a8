import { type Actor, type Client, failureOf } from '#domain/audit/audit-event.js';
import { clientNetwork } from '#domain/ip-address.js';
import { LatchkeyError } from '#domain/errors.js';
import type { KeyProof } from '#domain/keys/key-string.js';
import {
  keyProofsIn,
  type LeakReport,
  FINDINGS_OF_SERVICE,
  type ReportCharge,
  REQUESTS_OF_NETWORK,
} from '#domain/leaks/leak-report.js';
import type { LeakSite } from '#domain/audit/event-details.js';
import type { Audit } from '../audit-ports.js';
import type { LeakReports } from '../leak-ports.js';
import type { Requester } from '../sign-in-ports.js';

/** Texts that may contain keys, and where they were found. */
export interface Leak extends LeakSite {
  readonly texts: readonly string[];
}

/** How many characters are searched before other work gets a turn. They take a few milliseconds at most. */
const SEARCHED_AT_ONCE = 8192;

/** Accepts reports without looking up the keys: the answer and its time are the same for unknown keys. */
export class ReportLeakedKeys {
  private notify: () => void = () => undefined;

  constructor(
    private readonly reports: LeakReports,
    private readonly audit: Audit,
    private readonly importPrefixes: readonly string[],
  ) {}

  /** Calls `listener` after each report has been committed. */
  whenReported(listener: () => void): void {
    this.notify = listener;
  }

  /** Throws `busy`, and `too_many_attempts` once the network's budget is spent, which is recorded as an event. */
  async byAnybody(leak: Leak, client: Client): Promise<void> {
    const requester = { name: clientNetwork(client.ip), isKnown: false };
    const charge = { budget: REQUESTS_OF_NETWORK, cost: 1 };
    await this.take([leak], { actorId: null, client }, requester, charge);
  }

  /** The same, with a budget of the service for all texts that it sends. */
  async byService(leaks: readonly Leak[], identity: string, client: Client): Promise<void> {
    if (leaks.length === 0) return;
    const actorId = `service:${identity}`;
    const cost = Math.max(
      1,
      leaks.reduce((sum, { texts }) => sum + texts.length, 0),
    );
    const charge = { budget: FINDINGS_OF_SERVICE, cost };
    await this.take(leaks, { actorId, actorKind: 'service', client }, { name: actorId, isKnown: true }, charge);
  }

  private async take(leaks: readonly Leak[], reporter: Actor, requester: Requester, charge: ReportCharge) {
    try {
      await this.reports.take(await this.reportsOf(leaks, reporter), requester, charge);
    } catch (error) {
      if (error instanceof LatchkeyError && error.code === 'too_many_attempts') {
        await this.audit.recordFailure(failureOf('too-many-reports', reporter.client));
      }
      throw error;
    }
    this.notify();
  }

  private async reportsOf(leaks: readonly Leak[], reporter: Actor): Promise<LeakReport[]> {
    const reports: LeakReport[] = [];
    let searched = 0;
    for (const { texts, source, url } of leaks) {
      // By digest, so that a key in several texts gives one proof.
      const proofs = new Map<string, KeyProof>();
      for (const text of texts) {
        for (const proof of keyProofsIn(text, this.importPrefixes)) proofs.set(proof.digest.toString('hex'), proof);
        searched += text.length;
        if (searched < SEARCHED_AT_ONCE) continue;
        await new Promise((resolve) => setImmediate(resolve));
        searched = 0;
      }
      reports.push({ keys: [...proofs.values()], reporter, source, url });
    }
    return reports;
  }
}
