import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import { VALIDATION_PARTS, type ValidationPart } from '../../application/validation/validation-parts.js';
import type { ValidationMeter } from '../../application/ports.js';
import { DENIAL_REASONS, type DenialReason, type Verdict } from '../../domain/keys/verdict.js';
import { counter, gauge, histogram, type Instrument } from './instrument.js';
import { Tally } from './tally.js';

/** What the process counts of itself, in the text format that Prometheus reads. */
export class PrometheusMetrics implements ValidationMeter {
  private readonly registry = new Registry();
  private readonly denied = new Map<DenialReason, number>(DENIAL_REASONS.map((reason) => [reason, 0]));
  /** Plain numbers on the validation path, labels only when the page is made. */
  private readonly granting = new Tally();
  private readonly denying = new Tally();
  private readonly failing = new Tally();
  private readonly parts: Readonly<Record<ValidationPart, Tally>> = {
    batch: new Tally(),
    postgresql: new Tally(),
    limits: new Tally(),
    record: new Tally(),
  };
  private granted = 0;
  private failed = 0;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    // Of several workers the one that lags most is the one to see to.
    for (const name of ['nodejs_eventloop_lag_seconds', 'nodejs_eventloop_lag_p99_seconds']) {
      Object.assign(this.registry.getSingleMetric(name)!, { aggregator: 'max' });
    }
    this.add(
      counter(
        'latchkey_validations_total',
        'Validations by outcome (granted, denied, failed) and, of those denied, by reason',
        () => [
          [{ outcome: 'granted', reason: '' }, this.granted],
          [{ outcome: 'failed', reason: '' }, this.failed],
          ...[...this.denied].map(([reason, count]) => [{ outcome: 'denied', reason }, count] as const),
        ],
      ),
      histogram(
        'latchkey_validation_duration_seconds',
        'How long validations took, from the question to the verdict, by outcome',
        () => [
          [{ outcome: 'granted' }, this.granting],
          [{ outcome: 'denied' }, this.denying],
          [{ outcome: 'failed' }, this.failing],
        ],
      ),
      histogram(
        'latchkey_validation_part_duration_seconds',
        'How long validations waited for a batch, for PostgreSQL, for the rate limit and for the record of a failure',
        () => VALIDATION_PARTS.map((part) => [{ part }, this.parts[part]] as const),
      ),
      gauge('latchkey_workers', 'Processes whose numbers this page adds up', () => 1),
    );
  }

  add(...instruments: readonly Instrument[]): void {
    for (const instrument of instruments) this.registry.registerMetric(instrument as unknown as Metric);
  }

  begin(): number {
    return performance.now();
  }

  countPart(part: ValidationPart, since: number, until = performance.now()): number {
    this.parts[part].observe((until - since) / 1000);
    return until;
  }

  countVerdict(verdict: Verdict, begun: number): void {
    if (verdict.granted) {
      this.granted += 1;
      this.granting.observeSince(begun);
    } else {
      this.denied.set(verdict.reason, this.denied.get(verdict.reason)! + 1);
      this.denying.observeSince(begun);
    }
  }

  countFailure(begun: number): void {
    this.failed += 1;
    this.failing.observeSince(begun);
  }

  readonly contentType = this.registry.contentType;

  text(): Promise<string> {
    return this.registry.metrics();
  }

  /** The same as data, to be summed with that of other processes. */
  json(): ReturnType<Registry['getMetricsAsJSON']> {
    return this.registry.getMetricsAsJSON();
  }
}
