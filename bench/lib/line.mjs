import { start } from './process.mjs';

/**
 * A line to a server with an additional round-trip time. It runs in its own process, so that it delays only packets.
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
    /** Bytes in both directions so far. @returns {Promise<number>} */
    countedBytes: async () => (await line.ask({})).bytes,
    stop: line.stop,
  };
}
