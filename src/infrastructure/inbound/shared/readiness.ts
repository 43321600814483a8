import type { HealthImplementation } from 'grpc-health-check';
import type { KeyReader } from '../../../application/ports.js';
import { gauge, type Instrument } from '../../telemetry/instrument.js';

const CHECK_EVERY_MS = 1000;
const NOBODYS_KEY = '0'.repeat(24);
const SERVICES = ['', 'latchkey.v1.ApiKeyService', 'latchkey.v1.AccountService', 'envoy.service.auth.v3.Authorization'];

/** Whether validations can be answered, asked the way a validation asks. Kept current in the gRPC health service. */
export class Readiness {
  private isDraining = false;
  private wasReady = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly reader: KeyReader,
    private readonly health: HealthImplementation,
  ) {}

  async check(): Promise<boolean> {
    const isReady = !this.isDraining && (await this.reader.read(NOBODYS_KEY).then(Boolean, () => false));
    this.wasReady = isReady && !this.isDraining;
    const status = this.wasReady ? 'SERVING' : 'NOT_SERVING';
    for (const service of SERVICES) this.health.setStatus(service, status);
    return status === 'SERVING';
  }

  instruments(): Instrument[] {
    const ready = () => Number(this.wasReady);
    return [
      gauge('latchkey_ready', 'Whether validations could be answered (1) at the last look, or not (0)', ready, 'min'),
    ];
  }

  watch(): void {
    this.timer = setInterval(() => void this.check(), CHECK_EVERY_MS).unref();
  }

  /** From now on new work should go elsewhere. */
  async drain(): Promise<void> {
    this.isDraining = true;
    clearInterval(this.timer);
    await this.check();
  }
}
