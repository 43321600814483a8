import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A validation looks up one key and one account by their exact text. A hash index reads one page for that. The unique
 * index keeps an order, so it reads one page for each level of its tree: with a million keys, a quarter of the whole
 * statement's cost.
 */
export class HashLookup1763800000000 implements MigrationInterface {
  readonly name = 'HashLookup1763800000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX api_keys_by_public_part ON api_keys USING hash (public_part)`);
    await runner.query(`CREATE INDEX accounts_by_id ON accounts USING hash (id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX accounts_by_id`);
    await runner.query(`DROP INDEX api_keys_by_public_part`);
  }
}
