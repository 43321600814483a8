import type { FailedAuthentication } from '../../domain/audit/audit-event.js';
import type { LeakReport } from '../../domain/leaks/leak-report.js';
import type { RevokeLeakedKeys, UnprovenKey } from '../keys/revoke-leaked-keys.js';
import type { Audit, LeakReports } from '../ports.js';

/** If a whole batch proves nothing, its failures still fit in about one commit. */
const BATCH = 50;

/** Processes accepted reports, on all instances at once, each report on one of them. */
export class EndReportedKeys {
  constructor(
    private readonly reports: LeakReports,
    private readonly leakedKeys: RevokeLeakedKeys,
    private readonly audit: Audit,
  ) {}

  /** Returns how many keys it revoked. Rejects if it could not revoke some: their reports stay for the next run. */
  async execute(): Promise<number> {
    let ended = 0;
    const failed: unknown[] = [];
    const end = async (reports: readonly LeakReport[]): Promise<LeakReport[]> => {
      const done: LeakReport[] = [];
      const failures: FailedAuthentication[] = [];
      for (const report of reports) {
        try {
          const { leaked, unproven } = await this.end(report);
          ended += leaked.filter(({ was }) => was === 'active').length;
          failures.push(...failuresOf(report, unproven));
          done.push(report);
        } catch (error) {
          failed.push(error);
        }
      }
      // The failures must be committed before the reports are deleted.
      await Promise.all(failures.map((each) => this.audit.recordFailure(each)));
      return done;
    };
    while ((await this.reports.workOff(BATCH, end)) === BATCH && failed.length === 0);
    if (failed.length > 0) throw failed[0];
    return ended;
  }

  private end({ keys, reporter, source, url }: LeakReport) {
    return this.leakedKeys.end(keys, reporter, { source, url });
  }
}

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
