/** The owner in a demo. */
export const demo = Object.freeze({ email: 'demo@latchkey.dev', password: 'correct horse battery staple' });

/**
 * The commands that `npm start` prints, to be pasted into a shell: sign in, create a key for a day, use it, revoke it,
 * see it refused. They need only POSIX sh, curl, sed and grep. No comments, because an interactive zsh would run them.
 * @param {{ latchkey: string, systemsApi: string }} urls
 */
export function snippet({ latchkey, systemsApi }) {
  const signIn = JSON.stringify({ email: demo.email, password: demo.password });
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
