import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an event gave: an account its permissions, a new key what never changes of it. */
export class EventDetails1764150000000 implements MigrationInterface {
  readonly name = 'EventDetails1764150000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE audit_events ADD COLUMN details text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE audit_events DROP COLUMN details`);
  }
}
