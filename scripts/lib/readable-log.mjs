import { createInterface } from 'node:readline';

/**
 * How the JSON lines of Latchkey's parts are printed as lines for a person, if a person watches: on a terminal, and not
 * in production.
 * @returns {Promise<((lines: NodeJS.ReadableStream) => void) | undefined>} call it with the output of each part.
 *   Undefined if the lines are to stay JSON
 */
export async function readableLog() {
  if (!process.stdout.isTTY || process.env['NODE_ENV'] === 'production') return undefined;
  // Imported only now, because npm start installs it first.
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({
    translateTime: 'SYS:HH:MM:ss',
    hideObject: true,
    ignore: 'pid',
    messageFormat: (line) => messageOf(line),
    colorize: process.stdout.hasColors?.() && !process.env['NO_COLOR'],
  });
  // A reader for each part: their lines arrive in pieces, at the same time.
  return (lines) => {
    createInterface({ input: lines }).on('line', (line) => {
      const facts = factsOf(line);
      if (!facts || !isFileOfScreen(facts)) process.stdout.write(pretty(facts ?? line));
    });
  };
}

/** @typedef {Readonly<Record<string, unknown>>} Facts */

/**
 * @param {string} line
 * @returns {Facts | undefined} undefined for a line that is no JSON, such as Node's own warnings
 */
function factsOf(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/**
 * A browser loads dozens of them with the settings screen. Their lines would push what to open out of sight.
 * @param {Facts} line
 */
function isFileOfScreen({ msg, path, status }) {
  return msg === 'request' && String(path).startsWith('/settings/assets/') && Number(status) < 400;
}

/** What `msg` alone says to a person; the facts of these lines are for machines. */
const MESSAGES = /** @type {Readonly<Record<string, (line: Facts) => string>>} */ ({
  starting: ({ version, node }) => `Latchkey ${version} starts on Node.js ${node}`,
  listening: ({ publicUrl, host, grpcPort, servicesPort }) => {
    const json = servicesPort === undefined ? '' : `, JSON for services at ${host}:${servicesPort}`;
    return `HTTP at ${publicUrl}, gRPC at ${host}:${grpcPort}${json}`;
  },
  request: ({ method, path, status, latencyMs }) => `${method} ${path} → ${status} in ${latencyMs} ms`,
  stopping: ({ reason, stack }) => (stack ? `Latchkey ends because of an ${reason}: ${stack}` : 'Latchkey stops'),
});

/** @param {Facts} line */
function messageOf(line) {
  const { level: _level, time: _time, msg, ...facts } = line;
  const write = MESSAGES[String(msg)];
  if (write) return write(line);
  const named = Object.entries(facts).map(([name, value]) => `${name}=${inWords(value)}`);
  return [msg, ...named].join('  ');
}

/** @param {unknown} value */
function inWords(value) {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
