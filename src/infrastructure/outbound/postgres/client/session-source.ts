import { DataSource, type EntityManager } from 'typeorm';

export type Work<T> = (manager: EntityManager) => Promise<T>;

/** Each connection is a session of PostgreSQL's, and was set up once (`primary-client.ts`). */
export class SessionSource extends DataSource {
  /** Statement by statement, unless the pool asks for a transaction. */
  run<T>(work: Work<T>): Promise<T> {
    return work(this.manager);
  }

  /** @param manager one that holds a connection, unless any will do */
  readCommitted<T>(work: Work<T>, manager = this.manager): Promise<T> {
    return manager.transaction(work);
  }

  snapshot<T>(work: Work<T>): Promise<T> {
    return this.transaction('REPEATABLE READ', work);
  }
}
