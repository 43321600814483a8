import { start } from './process.mjs';

/**
 * A line to a server with a round trip of its own. A process of its own, so that it delays nothing but packets.
 * @param {string} url
 * @param {number} [roundTripMs]
 */
export async function openLine(url, roundTripMs = 0) {
  const env = { BENCH_TO: url, BENCH_ROUND_TRIP_MS: String(roundTripMs) };
  const line = await start('programs/line.mjs', { env, isServer: false });
  const through = new URL(url);
  through.host = `127.0.0.1:${line.hello.port}`;
  return {
    url: through.href,
    target: through.host,
    /** Both ways, so far. @returns {Promise<number>} */
    countedBytes: async () => (await line.ask({})).bytes,
    stop: line.stop,
  };
}
