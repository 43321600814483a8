import { createHash } from 'node:crypto';
import type { Requester, SpentSignIns } from '../../../../application/ports.js';
import { crowdGate } from '../client/crowd-reader.js';
import { NOW, type Database } from '../client/database.js';

export class PostgresSpentSignIns implements SpentSignIns {
  private readonly gate = crowdGate();

  constructor(private readonly database: Database) {}

  spend(state: string, requester: Requester): Promise<boolean> {
    const digest = createHash('sha256').update(state).digest();
    return this.gate.pass(async () => {
      const spent = await this.database.transaction((manager) => manager.query<unknown[]>(SPEND, [digest]));
      return spent.length > 0;
    }, requester);
  }
}

const SPEND = `
  INSERT INTO spent_sign_ins (state, spent_at) VALUES ($1, ${NOW}) ON CONFLICT (state) DO NOTHING RETURNING state`;
