import { IsNull } from 'typeorm';
import type { LeaseRegistrations } from '../../../../application/ports.js';
import type { DatabaseConfig } from '../../../../config/database-config.js';
import type { Giver } from '../../../../domain/leases/change-wait.js';
import { type Database, databaseNow, NOW } from '../client/database.js';
import { lockTimeoutMs } from '../migrations/migrate.js';
import { LeaseRegistrationRow, LeaseTimelineRow } from './rows.js';

export class PostgresLeaseRegistrations implements LeaseRegistrations {
  constructor(
    private readonly database: Database,
    private readonly config: Pick<DatabaseConfig, 'timeoutMs' | 'pooling'>,
  ) {}

  read() {
    return this.database.run(async (manager) => {
      const now = await databaseNow(manager);
      return { now, registrations: await manager.find(LeaseRegistrationRow) };
    });
  }

  async add({ id, leaseMs }: Giver): Promise<void> {
    const hasTimeline = await this.database.run((manager) => manager.exists(LeaseTimelineRow));
    await this.database.transaction(async (manager) => {
      if (!hasTimeline) {
        await manager.query(`SELECT set_config('lock_timeout', $1, true)`, [String(lockTimeoutMs(this.config))]);
        // Waits for the transactions that found no row. Each later one finds it, because nobody reads in the meantime.
        await manager.query(`LOCK TABLE lease_timeline IN ACCESS EXCLUSIVE MODE`);
        const { timeline } = this.database;
        await manager.query(`INSERT INTO lease_timeline (timeline) SELECT ${timeline} ON CONFLICT (id) DO NOTHING`);
      }
      await manager.query(
        `INSERT INTO lease_registrations (id, lease_ms, renewed_at) VALUES ($1, $2, ${NOW}) ON CONFLICT (id) DO NOTHING`,
        [id, leaseMs],
      );
    });
  }

  renew(id: string): Promise<boolean> {
    return this.database.maintain(async (manager) => {
      const renewal = { renewedAt: () => NOW };
      return hasChanged(await manager.update(LeaseRegistrationRow, { id, fence: IsNull() }, renewal));
    });
  }

  fence(id: string, fence: string): Promise<boolean> {
    return this.database.transaction(async (manager) =>
      hasChanged(await manager.update(LeaseRegistrationRow, { id, fence: IsNull() }, { fence })),
    );
  }

  async delete(id: string, fence: string): Promise<void> {
    await this.database.maintain((manager) => manager.delete(LeaseRegistrationRow, { id, fence }));
  }
}

function hasChanged({ affected }: { readonly affected?: number | null }): boolean {
  return affected === 1;
}
