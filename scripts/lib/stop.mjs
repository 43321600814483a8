/** Ends a script with a message that the reader can act on, without a stack trace. */
export class Stop extends Error {}

/** Runs a script's body, and turns an error into an exit code. @param {() => Promise<void> | void} body */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    console.error(error instanceof Stop ? error.message : error);
    process.exit(1);
  }
}

/** @param {unknown} error @returns {string} the code of a system error ('ENOENT'), or '' for anything else */
export function errorCode(error) {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
