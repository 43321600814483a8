import type { FailedAuthentication } from '#domain/audit/audit-event.js';
import { type LeakReport, pauseAfterTurn, TURN_MS } from '#domain/leaks/leak-report.js';
import type { RevokeKeys, UnprovenKey } from '../keys/revoke-keys.js';
import type { Audit } from '../audit-ports.js';
import type { LeakClaim, LeakReports } from '../leak-ports.js';

/** Reports whose keys this instance ends at the same time. Each of them takes a connection. */
const ENDED_AT_ONCE = 4;
/** Includes reports whose failures are being recorded. The failures of this many reports fit in about one commit. */
const CLAIMED_AT_ONCE = 50;
const LOOK_AGAIN_MS = 100;

type Turn = Awaited<ReturnType<RevokeKeys['end']>>;

interface Run {
  ended: number;
  /** Reports whose keys are being ended. */
  ending: number;
  claimed: number;
  readonly errors: unknown[];
  readonly underWay: Set<Promise<void>>;
}

/** Ends the keys of accepted reports, on all instances at once, each report on one of them. */
export class EndReportedKeys {
  private hasStopped = false;

  constructor(
    private readonly reports: LeakReports,
    private readonly revoke: RevokeKeys,
    private readonly audit: Audit,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Ends no further key. What is left waits for another instance. */
  stop(): void {
    this.hasStopped = true;
  }

  /** Returns how many keys it revoked. Rejects if it could not revoke some, which wait for another turn. */
  async execute(): Promise<number> {
    const run: Run = { ended: 0, ending: 0, claimed: 0, errors: [], underWay: new Set() };
    for (await this.claim(run); run.underWay.size > 0; await this.claim(run)) {
      // A report that arrives while a slow one is under way does not wait for it.
      const again = new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS).unref());
      await Promise.race([...run.underWay, again]);
    }
    if (run.errors.length > 0) throw run.errors[0];
    return run.ended;
  }

  /** After an error it claims no more: the run ends, and the next one begins soon. */
  private async claim(run: Run): Promise<void> {
    const places = Math.min(ENDED_AT_ONCE - run.ending, CLAIMED_AT_ONCE - run.claimed);
    if (places <= 0 || this.hasStopped || run.errors.length > 0) return;
    try {
      for (const claim of await this.reports.claim(places)) this.begin(claim, run);
    } catch (error) {
      run.errors.push(error);
    }
  }

  private begin(claim: LeakClaim, run: Run): void {
    const { keys, reporter, source, url } = claim.report;
    const overAt = this.nowMs() + TURN_MS;
    const isOver = () => this.hasStopped || this.nowMs() >= overAt;
    run.ending += 1;
    run.claimed += 1;
    const end = this.revoke.end(keys, { actor: reporter, site: { source, url }, isOver });
    const turn = end.finally(() => (run.ending -= 1));
    const settled = this.settle(claim, turn, run).finally(() => (run.claimed -= 1));
    for (const part of [turn, settled]) {
      const done = part.then(ignore, ignore);
      run.underWay.add(done);
      void done.then(() => run.underWay.delete(done));
    }
  }

  private async settle(claim: LeakClaim, turn: Promise<Turn>, run: Run): Promise<void> {
    const { report, tries } = claim;
    try {
      const { leaked, unproven, left, errors } = await turn;
      run.ended += leaked.filter(({ was }) => was === 'active').length;
      run.errors.push(...errors);
      // The failures must be committed before the report is deleted.
      await Promise.all(failuresOf(report, unproven).map((each) => this.audit.recordFailure(each)));
      if (left.length === 0) await this.reports.finished(claim);
      else await this.reports.postpone(claim, left, left.length > errors.length ? 0 : pauseAfterTurn(tries));
    } catch (error) {
      run.errors.push(error);
      // If this fails too, the report waits until the claim has run out.
      await this.reports.postpone(claim, report.keys, pauseAfterTurn(tries)).catch(ignore);
    }
  }
}

const ignore = (): void => undefined;

/** One failure for each key that was named without its secret, or one for a report that names no key. */
function failuresOf({ reporter, keys }: LeakReport, unproven: readonly UnprovenKey[]): FailedAuthentication[] {
  const failure = (rest: Omit<FailedAuthentication, 'reason' | 'client'>): FailedAuthentication => ({
    reason: 'unproven-report',
    client: reporter.client,
    ...rest,
  });
  const named = new Map(unproven.flatMap(({ key }) => (key ? [[key.id, key] as const] : [])));
  const unknown = unproven.filter(({ key }) => !key);
  const publicPart = unknown.length === 1 ? unknown[0]!.publicPart : null;
  return [
    ...[...named.values()].map((key) =>
      failure({ ownerId: key.ownerId, keyId: key.id, publicPart: key.snapshot().publicPart }),
    ),
    ...(unknown.length > 0 || keys.length === 0 ? [failure({ ownerId: null, keyId: null, publicPart })] : []),
  ];
}
