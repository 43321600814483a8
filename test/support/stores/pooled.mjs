/**
 * How the tested code reaches a database of the run's PostgreSQL: through PgBouncer in a run with
 * LATCHKEY_TEST_POOLED=1. Tests themselves read and tamper over a direct connection.
 * @param {string} url
 * @returns {{ url: string, pooling: 'session' | 'transaction' }}
 */
export function reached(url) {
  const pool = process.env['LATCHKEY_TEST_POOL_URL'];
  const server = process.env['LATCHKEY_TEST_DATABASE_URL'];
  if (!pool || !server) return { url, pooling: 'session' };
  const through = new URL(url);
  if (through.host !== new URL(server).host) return { url, pooling: 'session' };
  through.host = new URL(pool).host;
  return { url: through.href, pooling: 'transaction' };
}
