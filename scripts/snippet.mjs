/** The owner in a demo. */
export const demo = Object.freeze({ email: 'demo@latchkey.dev', password: 'correct horse battery staple' });

/**
 * The commands that `npm start` prints, to be pasted into a shell: sign in, create a key for a day, use it, revoke it,
 * see it refused. They need only POSIX sh, curl and sed. No comments, because an interactive zsh would run them.
 * @param {{ latchkey: string, systemsApi: string }} urls
 */
export function snippet({ latchkey, systemsApi }) {
  const signIn = JSON.stringify({ email: demo.email, password: demo.password });
  const create = JSON.stringify({ name: 'try it', access: 'read-only', expiresInDays: 1, password: demo.password });
  const call = `curl -sS -w ' (%{http_code})\\n' -H "Authorization: Bearer $KEY" ${systemsApi}/backend/api/systems`;
  const json = `-H 'Content-Type: application/json'`;
  return [
    `JAR=$(mktemp)`,
    `curl -sS -c "$JAR" ${json} -d '${signIn}' ${latchkey}/v1/session`,
    `CREATED=$(curl -sS -b "$JAR" ${json} -d '${create}' ${latchkey}/v1/api-keys)`,
    `ID=$(printf '%s' "$CREATED" | sed 's/.*"id": *"\\([^"]*\\)".*/\\1/')`,
    `KEY=$(printf '%s' "$CREATED" | sed 's/.*"fullKey": *"\\([^"]*\\)".*/\\1/')`,
    call,
    `curl -sS -o /dev/null -b "$JAR" -X POST "${latchkey}/v1/api-keys/$ID/revoke"`,
    call,
    `rm -f "$JAR"`,
  ].join('\n');
}
