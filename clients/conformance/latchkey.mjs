// A scripted Latchkey for the tests of guards in any language: `node clients/conformance/latchkey.mjs` listens on three free
// ports of the loopback interface, prints them as one line of JSON, and ends when its standard input does. README.md
// describes the script.
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

/**
 * @typedef {object} Answer one step of a script
 * @property {Record<string, any>} [answer] a ValidateKeyResponse as JSON; the question's requestId is added unless it has one
 * @property {{ code: string, message?: string }} [error] a broken call, by the name of its code in the Connect protocol
 * @property {'hang' | 'drip' | 'close' | 'reset' | 'cut' | 'cut head'} [fault] never answers; answers so slowly that it never
 *   ends; closes the connection before the answer, resets it there, or closes it within the answer or its head
 * @property {number} [padding] adds an unknown member of so many characters
 * @property {string} [doubled] over HTTP alone, as all that follow: the member of this name comes twice, first as null
 * @property {string} [behind] a text after the answer
 * @property {number} [status] instead of 200
 * @property {Record<string, string>} [headers] instead of the usual ones of the answer
 * @property {boolean} [chunked] the answer has no length
 * @property {boolean} [latin1] the answer is no UTF-8
 * @property {{ status: number, headers: Record<string, string>, body: string }} [raw] this answer, as it is
 *
 * @typedef {(answer: Record<string, any>) => void} Reply
 */
const state = {
  /** The last one answers all further questions. @type {Answer[]} */
  script: [{ error: { code: 'unavailable' } }],
  /** @type {{ question: Record<string, any>, identity: string, over: string }[]} */
  asked: [],
  /** @type {Record<string, any>[]} */
  reported: [],
};

/** @param {Record<string, any>} question @param {string} identity @param {string} over */
function next(question, identity, over) {
  const wishedUses = question.leaseWish && String(question.leaseWish.uses);
  state.asked.push({ question: { ...question, wishedUses }, identity, over });
  const [step = {}] = state.script;
  if (state.script.length > 1) state.script.shift();
  const padding = step.padding ? { padding: 'x'.repeat(step.padding) } : {};
  return { ...step, answer: step.answer && { requestId: question.requestId, ...step.answer, ...padding } };
}

/** @param {import('node:http').IncomingMessage} request */
async function bodyOf(request) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text === '' ? {} : JSON.parse(text);
}

const CONNECT_STATUS = /** @type {Record<string, number>} */ ({
  invalid_argument: 400,
  unauthenticated: 401,
  permission_denied: 403,
  unimplemented: 404,
  resource_exhausted: 429,
  unavailable: 503,
  deadline_exceeded: 504,
});

/** Each byte of white space comes long before a guard's deadline. @param {Buffer} text @param {import('node:http').ServerResponse} to */
function drip(text, to) {
  to.write(text.subarray(0, 1));
  const dripping = setInterval(() => to.write(' '), 20);
  to.on('close', () => clearInterval(dripping));
}

const overHttp = createServer(async (request, response) => {
  const message = await bodyOf(request);
  const json = (/** @type {number} */ status, /** @type {unknown} */ body, /** @type {Answer} */ how = {}) => {
    const doubled = JSON.stringify(body).replace(`"${how.doubled}":`, '$&null,$&');
    const text = Buffer.from(doubled + (how.behind ?? ''), how.latin1 ? 'latin1' : 'utf8');
    const length = how.chunked ? {} : { 'content-length': text.length };
    const headers = { 'latchkey-ratelimit-window': '5', ...how.headers };
    response.writeHead(status, { 'content-type': 'application/json', ...length, ...headers });
    return text;
  };
  if (request.url === '/latchkey.v1.ApiKeyService/ReportUses') {
    state.reported.push(...message.uses);
    return response.end(json(200, {}));
  }
  if (request.method !== 'POST' || request.url !== '/latchkey.v1.ApiKeyService/ValidateKey') {
    return response.end(json(404, { code: 'unimplemented' }));
  }
  const { answer, error, fault, raw, ...how } = next(message, request.headers.authorization ?? '', 'http');
  if (fault === 'hang') return undefined;
  if (fault === 'close') return request.socket.destroy();
  if (fault === 'reset') return request.socket.resetAndDestroy();
  if (fault === 'cut head') return request.socket.end('HTTP/1.1 200 OK\r\n');
  // With its length, so that a guard can refuse it only for what it says.
  const length = { 'content-length': Buffer.byteLength(raw?.body ?? '') };
  if (raw) return response.writeHead(raw.status, { ...length, ...raw.headers }).end(raw.body);
  if (error) return response.end(json(CONNECT_STATUS[error.code] ?? 500, error));
  const text = json(how.status ?? 200, answer, how);
  if (fault === 'drip') return drip(text, response);
  if (fault !== 'cut') return response.end(text);
  return response.write(text.subarray(0, -5), () => request.socket.destroySoon());
});

const includeDirs = [fileURLToPath(new URL('../../proto', import.meta.url))];
const definition = loadSync('latchkey/v1/api_key_service.proto', {
  longs: Number,
  enums: String,
  oneofs: true,
  includeDirs,
});
const { service } = /** @type {any} */ (grpc.loadPackageDefinition(definition)).latchkey.v1.ApiKeyService;

/** The values of proto3's JSON in the form of proto-loader. @param {any} value @param {string} [name] @returns {any} */
function toWire(value, name = '') {
  if (Array.isArray(value)) return value.map((each) => toWire(each));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toWire(each, key)]));
  }
  if (['retryAfter', 'resetAfter', 'window'].includes(name)) return spanOf(Number(String(value).slice(0, -1)) * 1000);
  if (name === 'expiresAt') return spanOf(Date.parse(value));
  // A value of a later release.
  return String(value).endsWith('_FROM_LATER') ? 99 : value;
}

/** @param {number} ms */
const spanOf = (ms) => ({ seconds: Math.floor(ms / 1000), nanos: Math.round(((ms % 1000) + 1000) % 1000) * 1e6 });

/** @param {{ code: string, message?: string }} error */
const statusOf = ({ code, message = '' }) => ({
  code: /** @type {any} */ (grpc.status)[code.toUpperCase()] ?? grpc.status.UNKNOWN,
  details: message,
});

/** @param {any} request as proto-loader reads it: the texts that are not set are left out, as in JSON */
function asJson({ credential, ...request }) {
  const entries = Object.entries(request).filter(([key, value]) => key === credential || (value && value.length !== 0));
  return Object.fromEntries(entries);
}

const identityOf = (/** @type {any} */ { metadata }) => String(metadata.get('authorization')[0] ?? '');
const metadata = new grpc.Metadata();
metadata.set('latchkey-ratelimit-window', '5');

const overGrpc = new grpc.Server();
overGrpc.addService(service, {
  ValidateKey: (/** @type {any} */ call, /** @type {any} */ done) => {
    const { answer, error, fault } = next(asJson(call.request), identityOf(call), 'grpc');
    if (fault === 'hang') return;
    call.sendMetadata(metadata);
    if (error) done(statusOf(error));
    else if (fault) done(statusOf({ code: 'unavailable' }));
    else done(null, toWire(answer));
  },
  ValidateKeys: (/** @type {any} */ stream) => {
    stream.sendMetadata(metadata);
    stream.on('data', (/** @type {any} */ request) => {
      const { answer, error, fault } = next(asJson(request), identityOf(stream), 'grpc');
      if (fault === 'hang') return;
      const { code, details } = error ? statusOf(error) : { code: 0, details: '' };
      if (fault) stream.emit('error', statusOf({ code: 'unavailable' }));
      else if (error) stream.write({ requestId: request.requestId, failure: { code, message: details } });
      else stream.write(toWire(answer));
    });
    stream.on('end', () => stream.end());
    stream.on('error', () => undefined);
  },
  ReportUses: (/** @type {any} */ { request }, /** @type {any} */ done) => {
    state.reported.push(...request.uses.map(asJson));
    done(null, {});
  },
});

/** PUT the script, which forgets what was asked; GET what was asked and reported since. */
const control = createServer(async (request, response) => {
  if (request.method === 'PUT') Object.assign(state, { script: await bodyOf(request), asked: [], reported: [] });
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ asked: state.asked, reported: state.reported }));
});

/** @param {import('node:http').Server} server @returns {Promise<number>} */
const listen = (server) =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(/** @type {any} */ (server.address()).port)));

const grpcPort = await new Promise((resolve, reject) =>
  overGrpc.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) =>
    error ? reject(error) : resolve(port),
  ),
);
const ports = { http: await listen(overHttp), grpc: grpcPort, control: await listen(control) };
process.stdout.write(`${JSON.stringify(ports)}\n`);
process.stdin.resume().on('end', () => process.exit(0));
