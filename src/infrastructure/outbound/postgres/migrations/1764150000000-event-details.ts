import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The details of an event: the permissions that an account got, or the facts of a new key that never change. */
export class EventDetails1764150000000 implements MigrationInterface {
  readonly name = 'EventDetails1764150000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE audit_events ADD COLUMN details text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE audit_events DROP COLUMN details`);
  }
}
