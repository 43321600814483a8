import {
  type MeasuredRequest,
  VALIDATION_PARTS,
  type ValidationMeter,
  type ValidationPart,
  type ValidationTimer,
} from '#application/validation-ports.js';
import { DENIAL_REASONS, type DenialReason, type Verdict } from '#domain/keys/verdict.js';
import { counter, histogram, type Instrument, Tally } from './instrument.js';
import { causeOf, type Log } from './log.js';

/** Counts validations in plain numbers, because this runs on the validation path. */
export class ValidationTimes implements ValidationMeter {
  private readonly denied = new Map<DenialReason, number>(DENIAL_REASONS.map((reason) => [reason, 0]));
  private readonly outcomes = { granted: new Tally(), denied: new Tally(), failed: new Tally() };
  private readonly leases = { given: 0, usesCharged: 0 };
  private readonly parts: Readonly<Record<ValidationPart, Tally>> = {
    batch: new Tally(),
    postgresql: new Tally(),
    limits: new Tally(),
    record: new Tally(),
  };

  constructor(private readonly slow: SlowValidations) {}

  instruments(): Instrument[] {
    return [
      counter(
        'latchkey_validations_total',
        'Validations by outcome (granted, denied, failed); denied ones also by reason',
        () => [
          [{ outcome: 'granted', reason: '' }, this.outcomes.granted.count],
          [{ outcome: 'failed', reason: '' }, this.outcomes.failed.count],
          ...[...this.denied].map(([reason, count]) => [{ outcome: 'denied', reason }, count] as const),
        ],
      ),
      histogram(
        'latchkey_validation_duration_seconds',
        'Time from the call to the verdict of a validation, by outcome',
        () => Object.entries(this.outcomes).map(([outcome, tally]) => [{ outcome }, tally] as const),
      ),
      histogram(
        'latchkey_validation_part_duration_seconds',
        'Time that validations waited for a batch, PostgreSQL, the rate limit, and the audit event of a denial',
        () => VALIDATION_PARTS.map((part) => [{ part }, this.parts[part]] as const),
      ),
      counter('latchkey_leases_given_total', 'Leases that were given', () => this.leases.given),
      counter(
        'latchkey_lease_uses_charged_total',
        'Uses of leases that were charged beforehand',
        () => this.leases.usesCharged,
      ),
    ];
  }

  begin(request: MeasuredRequest): ValidationTimer {
    return new RunningValidation(this, request);
  }

  countPart(part: ValidationPart, ms: number): void {
    this.parts[part].observe(ms / 1000);
  }

  countEnd(validation: RunningValidation, totalMs: number): void {
    const { verdict, leaseUses } = validation;
    if (leaseUses > 0) this.leases.given += 1;
    this.leases.usesCharged += leaseUses;
    if (verdict && !verdict.granted) this.denied.set(verdict.reason, this.denied.get(verdict.reason)! + 1);
    const outcome = verdict ? (verdict.granted ? 'granted' : 'denied') : 'failed';
    this.outcomes[outcome].observe(totalMs / 1000);
    if (this.slow.isSlow(totalMs)) this.slow.note(validation, totalMs);
  }
}

/** One object for each validation. Its numbers change in place. */
class RunningValidation implements ValidationTimer {
  /** Undefined when the validation failed. */
  verdict: Verdict | undefined;
  error: unknown;
  batch = 0;
  postgresql = 0;
  limits = 0;
  record = 0;
  /** How many uses of a lease were charged with it. */
  leaseUses = 0;
  private readonly begunAt: number;
  private lastAt: number;

  constructor(
    private readonly times: ValidationTimes,
    readonly request: MeasuredRequest,
  ) {
    this.begunAt = request.arrivedAt ?? performance.now();
    this.lastAt = this.begunAt;
  }

  endPart(part: ValidationPart, until = performance.now()): void {
    const ms = until - this.lastAt;
    this.lastAt = until;
    this[part] += ms;
    this.times.countPart(part, ms);
  }

  end(verdict: Verdict, leaseUses = 0): void {
    this.verdict = verdict;
    this.leaseUses = leaseUses;
    this.times.countEnd(this, performance.now() - this.begunAt);
  }

  fail(error: unknown): void {
    this.error = error;
    this.times.countEnd(this, performance.now() - this.begunAt);
  }
}

const LINES_A_SECOND = 10;

type EndedValidation = Pick<RunningValidation, 'request' | 'verdict' | 'error' | 'leaseUses' | ValidationPart>;

/** Logs a line for a slow validation, with the time of each part. When many are slow at once, only some are logged. */
export class SlowValidations {
  private secondBegunAt = Number.NEGATIVE_INFINITY;
  private lines = 0;
  /** How many were not logged since the last line. */
  private dropped = 0;

  /** @param thresholdMs SLOW_VALIDATION_MS; with 0, no validation counts as slow */
  constructor(
    private readonly log: Log,
    private readonly thresholdMs: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  isSlow(totalMs: number): boolean {
    return totalMs > this.thresholdMs && this.thresholdMs > 0;
  }

  note(validation: EndedValidation, totalMs: number): void {
    if (!this.hasRoom()) {
      this.dropped += 1;
      return;
    }
    const parts = VALIDATION_PARTS.map((part) => [`${part}Ms`, rounded(validation[part])] as const);
    const restMs = VALIDATION_PARTS.reduce((rest, part) => rest - validation[part], totalMs);
    const { client, service } = validation.request;
    const { dropped } = this;
    this.dropped = 0;
    this.log.warn('slow validation', {
      requestId: client.requestId,
      service: service ?? null,
      ...outcomeOf(validation),
      ...(validation.leaseUses > 0 && { leaseUses: validation.leaseUses }),
      totalMs: rounded(totalMs),
      ...Object.fromEntries(parts),
      restMs: rounded(restMs),
      ...(dropped > 0 && { dropped }),
    });
  }

  private hasRoom(): boolean {
    const now = this.nowMs();
    if (now - this.secondBegunAt >= 1000) {
      this.secondBegunAt = now;
      this.lines = 0;
    }
    this.lines += 1;
    return this.lines <= LINES_A_SECOND;
  }
}

function outcomeOf({ verdict, error }: EndedValidation): object {
  if (!verdict) return { outcome: 'failed', failure: causeOf(error) || String(error) };
  return verdict.granted ? { outcome: 'granted' } : { outcome: 'denied', reason: verdict.reason };
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
