import type { EntityManager } from 'typeorm';
import type { Database } from '#infrastructure/outbound/postgres/client/database.js';

/** A node of a plan, in PostgreSQL's words. The numbers of rows are averages of all loops. */
interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/**
 * How many rows of tables PostgreSQL reads for what `work` sends to `maintain` or `run`: also those that a condition leaves out
 * and no index does. The statements are run, and answer no row.
 */
export async function rowsRead(database: Database, work: (explained: Database) => Promise<unknown>): Promise<number> {
  let rows = 0;
  const explaining = (manager: EntityManager): EntityManager => {
    const query = async (text: string, values?: unknown[]) => {
      type Answer = { 'QUERY PLAN': { Plan: PlanNode }[] }[];
      const [answer] = await manager.query<Answer>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
      rows += rowsReadBy(answer!['QUERY PLAN'][0]!.Plan);
      return [];
    };
    return Object.create(manager, { query: { value: query } });
  };
  const maintain: Database['maintain'] = (run) => database.maintain((manager) => run(explaining(manager)));
  const run: Database['run'] = (read) => database.run((manager) => read(explaining(manager)));
  await work(Object.create(database, { maintain: { value: maintain }, run: { value: run } }));
  return rows;
}

function rowsReadBy(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, child) => sum + rowsReadBy(child), 0);
  const isScan = node['Relation Name'] !== undefined && node['Node Type'].endsWith('Scan');
  const own = node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
  return below + (isScan ? own : 0);
}
