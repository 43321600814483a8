import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A validation looks up one key and one account by their exact text. In a hash index that is one page, in the unique
 * one, which has to keep the order, as many as the tree is deep: a quarter of the whole statement with a million keys.
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
