import type { KeyProof } from '#domain/keys/key-string.js';
import type { LeakReport, ReportCharge } from '#domain/leaks/leak-report.js';
import type { Requester } from './sign-in-ports.js';

/** Accepted reports of leaked keys, stored until their keys have ended. */
export interface LeakReports {
  /**
   * Resolves after all reports have committed. They are charged to the requester's budget, which all instances share.
   * Throws `too_many_attempts` when the budget is spent, and `busy` when too many reports are being accepted.
   */
  take(reports: readonly LeakReport[], requester: Requester, charge: ReportCharge): Promise<void>;
  /**
   * Claims waiting reports: those that were tried least often first, then in the order of arrival. No other instance gets
   * them until the claim runs out, so an instance that dies delays its reports by ten seconds.
   */
  claim(limit: number): Promise<LeakClaim[]>;
  /** Deletes the report: all of its keys have ended. Does nothing if the claim has run out. */
  finished(claim: LeakClaim): Promise<void>;
  /** Leaves these keys of the report for another turn. Does nothing if the claim has run out. */
  postpone(claim: LeakClaim, keys: readonly KeyProof[], pauseMs: number): Promise<void>;
}

/** A report that no other instance gets until the claim runs out. */
export interface LeakClaim {
  readonly id: string;
  readonly report: LeakReport;
  /** How often keys of the report were left for another turn. */
  readonly tries: number;
  readonly until: Date;
}
