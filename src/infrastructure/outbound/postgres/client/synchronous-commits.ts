import { gauge, type Instrument } from '../../../telemetry/instrument.js';
import type { Log } from '../../../telemetry/log.js';
import type { Database } from './database.js';
import { IS_SYNCHRONOUS, NOT_SYNCHRONOUS } from './synchronous-sql.js';

/** What follows for those who rely on an answer. */
const DANGER = 'a failover may undo what was answered last, revocations too';

/** Says it where changes are answered that only one server has. */
export class SynchronousCommits {
  /** Undefined until the first look. */
  private isSynchronous: boolean | undefined;

  constructor(
    private readonly database: Database,
    private readonly log: Log,
  ) {}

  /** What readiness says beside "ok". */
  get warning(): string | undefined {
    return this.isSynchronous === false ? `${NOT_SYNCHRONOUS}: ${DANGER}` : undefined;
  }

  async look(): Promise<void> {
    const [row] = await this.database.run((manager) =>
      manager.query<{ is_synchronous: boolean }[]>(`SELECT ${IS_SYNCHRONOUS} AS is_synchronous`),
    );
    const before = this.isSynchronous;
    this.isSynchronous = row!.is_synchronous;
    // One PostgreSQL may be all there is. A standby that was there is missed.
    if (this.warning && before === undefined) this.log.info(this.warning);
    if (this.warning && before === true) this.log.warn(this.warning);
    if (this.isSynchronous && before === false) this.log.info('PostgreSQL commits with a synchronous standby again');
  }

  instruments(): Instrument[] {
    const help =
      'Whether PostgreSQL answers commits once a synchronous standby has them (1), or alone (0), at the last look';
    return [gauge('latchkey_postgres_synchronous_commits', help, () => Number(this.isSynchronous ?? true), 'min')];
  }
}
