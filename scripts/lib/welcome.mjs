/** The owner in a demo. */
const demo = { email: 'demo@latchkey.dev', password: 'correct horse battery staple' };

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
  const systemsApi = `http://${reachableHost}:${ports.SYSTEMS_API_PORT}`;
  const lines = [` Open         ${latchkey}/settings/api-keys`];
  if (isDemo) {
    lines.push(
      ` Sign in      ${passwordSignIn ? `${demo.email}   ${demo.password}` : "at your platform's login"}`,
      ` Your service LATCHKEY_SERVICE_TOKEN=dev-validator-token, gRPC at ${reachableHost}:${ports.GRPC_PORT}`,
    );
  }
  if (dataFolder) lines.push(` Data         ${dataFolder} (to start over: stop, delete this folder, start)`);
  lines.push(
    ' Read next    README.md, "One guard": protect a route of your own',
    ' Stop         Ctrl+C; the data stay',
  );
  const about = 'Paste this to create a key for a day, use it (200), revoke it and try again (401):';
  const tryIt = isDemo && passwordSignIn ? [about, '', snippet({ latchkey, systemsApi }), ''] : [];
  return ['', ...tryIt, RULE, ...lines, RULE, ` Latchkey is ready after ${seconds.toFixed(1)} s.`].join('\n');
}

/**
 * The commands to paste into a shell: sign in, create a key for a day, use it, revoke it, see it refused. They need only
 * POSIX sh, curl, sed and grep. No comments, because an interactive zsh would run them.
 * @param {{ latchkey: string, systemsApi: string }} urls
 */
export function snippet({ latchkey, systemsApi }) {
  const signIn = JSON.stringify(demo);
  const create = JSON.stringify({ name: 'try it', access: 'read-only', expiresInDays: 1, password: demo.password });
  const call = `-w ' (%{http_code})\\n' -H "Authorization: Bearer $KEY" ${systemsApi}/backend/api/systems`;
  const json = `-H 'Content-Type: application/json'`;
  // Each step runs only if the one before has worked, and an answer without the value is an error.
  return [
    `JAR=$(mktemp) &&`,
    `curl -sSf -c "$JAR" ${json} -d '${signIn}' ${latchkey}/v1/session &&`,
    `CREATED=$(curl -sSf -b "$JAR" ${json} -d '${create}' ${latchkey}/v1/api-keys) &&`,
    `ID=$(printf '%s' "$CREATED" | sed -n 's/^{"apiKey":{"id":"\\([^"]*\\)".*/\\1/p') && test -n "$ID" &&`,
    `KEY=$(printf '%s' "$CREATED" | sed -n 's/.*"fullKey":"\\([^"]*\\)".*/\\1/p') && test -n "$KEY" &&`,
    `curl -sSf ${call} &&`,
    `curl -sSf -o /dev/null -b "$JAR" -X POST "${latchkey}/v1/api-keys/$ID/revoke" &&`,
    `curl -sS ${call} | grep '(401)' &&`,
    `rm -f "$JAR" || echo 'A step failed: the lines above say which.' >&2`,
  ].join('\n');
}
