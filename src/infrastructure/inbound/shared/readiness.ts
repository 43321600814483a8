import type { KeyReader } from '#application/validation-ports.js';
import { gauge, type Instrument } from '#infrastructure/telemetry/instrument.js';

const NOBODYS_KEY = '0'.repeat(24);

/** Whether validations can be answered. Checked with a read like that of a validation. */
export class Readiness {
  private isDraining = false;
  private wasReady = false;
  private checking: Promise<boolean> | undefined;

  /**
   * @param danger has a warning while changes that are answered now may still be lost
   * @param announce called with the result of each check
   */
  constructor(
    private readonly reader: KeyReader,
    private readonly danger: { readonly warning: string | undefined },
    private readonly announce: (isReady: boolean) => void,
  ) {}

  /** Checks at the same time share one read: anybody may ask. */
  check(): Promise<boolean> {
    this.checking ??= this.read().finally(() => (this.checking = undefined));
    return this.checking;
  }

  private async read(): Promise<boolean> {
    const isReady = !this.isDraining && (await this.reader.read(NOBODYS_KEY).then(Boolean, () => false));
    this.wasReady = isReady && !this.isDraining;
    this.announce(this.wasReady);
    return this.wasReady;
  }

  /** The body of the health answer while validations can be answered. */
  get status(): { readonly status: 'ok'; readonly warning?: string } {
    const { warning } = this.danger;
    return { status: 'ok', ...(warning !== undefined && { warning }) };
  }

  instruments(): Instrument[] {
    const help = 'Whether validations could be answered (1) at the last check, or not (0)';
    return [gauge('latchkey_ready', help, () => Number(this.wasReady), 'min')];
  }

  /** Reports "not ready" from now on, so that new work goes elsewhere. */
  async drain(): Promise<void> {
    this.isDraining = true;
    await this.check();
  }
}
