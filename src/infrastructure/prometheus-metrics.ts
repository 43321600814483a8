import { collectDefaultMetrics, Counter, Registry } from 'prom-client';
import { ValidationMeter } from '../application/ports.js';
import { DENIAL_REASONS, type DenialReason, type Verdict } from '../domain/verdict.js';

/** What the process counts of itself, in the text format that Prometheus reads. */
export class PrometheusMetrics extends ValidationMeter {
  private readonly registry = new Registry();
  private granted = 0;
  private failed = 0;
  private readonly denied = new Map<DenialReason, number>(DENIAL_REASONS.map((reason) => [reason, 0]));

  constructor() {
    super();
    collectDefaultMetrics({ register: this.registry });
    const tell = (counter: Counter) => this.tellValidations(counter);
    this.registry.registerMetric(
      new Counter({
        name: 'latchkey_validations_total',
        help: 'Validations by outcome (granted, denied, failed) and, of those denied, by reason',
        labelNames: ['outcome', 'reason'],
        registers: [],
        collect() {
          tell(this);
        },
      }),
    );
  }

  countVerdict(verdict: Verdict): void {
    if (verdict.granted) this.granted += 1;
    else this.denied.set(verdict.reason, this.denied.get(verdict.reason)! + 1);
  }

  countFailure(): void {
    this.failed += 1;
  }

  readonly contentType = this.registry.contentType;

  text(): Promise<string> {
    return this.registry.metrics();
  }

  /** Plain numbers on the validation path, labels only when somebody looks. */
  private tellValidations(counter: Counter): void {
    counter.reset();
    counter.inc({ outcome: 'granted', reason: '' }, this.granted);
    counter.inc({ outcome: 'failed', reason: '' }, this.failed);
    for (const [reason, count] of this.denied) counter.inc({ outcome: 'denied', reason }, count);
  }
}
