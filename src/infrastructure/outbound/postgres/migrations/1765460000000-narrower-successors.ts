import type { MigrationInterface, QueryRunner } from 'typeorm';
import { DIFFERS, keepRestrictions } from './keep-restrictions.js';

/** A successor may be narrower than its key. Instances of 0.2.0 still can't make one that has lost its lists. */
export class NarrowerSuccessors1765460000000 implements MigrationInterface {
  readonly name = 'NarrowerSuccessors1765460000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      keepRestrictions(`
        (NEW.permissions IS NULL AND replaced.permissions IS NOT NULL)
        OR (NEW.allowed_networks IS NULL AND replaced.allowed_networks IS NOT NULL)`),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(keepRestrictions(DIFFERS));
  }
}
