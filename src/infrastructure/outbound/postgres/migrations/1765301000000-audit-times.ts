import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from './create-index.js';

/** The first event from a time on. */
export class AuditTimes1765301000000 implements MigrationInterface {
  readonly name = 'AuditTimes1765301000000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return createIndex(runner, {
      name: 'audit_events_by_time',
      on: 'audit_events (at)',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX audit_events_by_time`);
  }
}
