import { demo, snippet } from '../snippet.mjs';

const RULE = '─'.repeat(78);

/**
 * The last lines of `npm start`: what to open, what to paste, and where to go on. The commands have no frame, so that
 * they can be copied.
 * @param {import('./plan.mjs').Plan} plan
 * @param {string | undefined} dataFolder of the embedded PostgreSQL
 * @param {number} seconds how long the start took
 */
export function welcome({ reachableHost, ports, demo: isDemo, passwordSignIn }, dataFolder, seconds) {
  const latchkey = `http://${reachableHost}:${ports.HTTP_PORT}`;
  const rows = [['Open', `${latchkey}/settings/api-keys`]];
  if (isDemo) {
    rows.push(['Sign in', passwordSignIn ? `${demo.email}   ${demo.password}` : "at your platform's login"]);
    rows.push([
      'Your service',
      `LATCHKEY_SERVICE_TOKEN=dev-validator-token, gRPC at ${reachableHost}:${ports.GRPC_PORT}`,
    ]);
  }
  if (dataFolder !== undefined) rows.push(['Data', `${dataFolder} (to start over: stop, delete this folder, start)`]);
  rows.push(['Read next', 'README.md, "One guard": protect a route of your own']);
  rows.push(['Stop', 'Ctrl+C; the data stay']);
  const lines = rows.map(([name = '', text = '']) => ` ${name.padEnd(13)}${text}`);
  const tryIt =
    isDemo && passwordSignIn && ports.SYSTEMS_API_PORT
      ? snippetTo(latchkey, `http://${reachableHost}:${ports.SYSTEMS_API_PORT}`)
      : [];
  const ready = ` Latchkey is ready after ${seconds.toFixed(1)} s.`;
  return ['', ...tryIt, RULE, ...lines, RULE, ready].join('\n');
}

/**
 * @param {string} latchkey
 * @param {string} systemsApi
 */
function snippetTo(latchkey, systemsApi) {
  const about = 'Paste this to create a key for a day, use it (200), revoke it and try again (401):';
  return [about, '', snippet({ latchkey, systemsApi }), ''];
}
