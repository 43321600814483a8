import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Server as TlsServer, type TLSSocket } from 'node:tls';
import { status as grpc } from '@grpc/grpc-js';
import type { Config } from '#config/config.js';
import { LatchkeyError } from '#domain/errors.js';
import { mapError } from '../../shared/error-table.js';
import { hasBody, headerValues } from '../../shared/request-facts.js';
import { HttpListener, refuseUnread } from '../../shared/listening.js';
import type { Caller, CallingService } from '../../shared/service-identity.js';
import { type CallPipeline, codeOf, type IncomingCall, type ServedMethod } from '../call-pipeline.js';
import { MAX_MESSAGE_BYTES } from '../channel-options.js';
import type { GrpcCertificates } from '../grpc-certificates.js';
import type { GrpcDoor } from '../grpc-door.js';
import { loadProto } from '../protos.js';
import { jsonReader } from './read-json.js';
import { jsonWriter } from './write-json.js';

/** For headers and body of a request together, and for a TLS handshake. */
const RECEIVE_TIMEOUT_MS = 10_000;

interface JsonMethod extends ServedMethod {
  /** @throws LatchkeyError: the body is not such a message */
  read(body: Buffer): never;
  write(answer: unknown): string;
}

/**
 * The unary methods of gRPC services in the Connect protocol with JSON, for callers without a gRPC library. It has a
 * listener of its own, on which nothing else answers. Messages pass the codec of the gRPC server.
 */
export class JsonServer {
  private readonly listener: HttpListener;
  /** By their paths. */
  private readonly methods = new Map<string, JsonMethod>();

  constructor(
    private readonly config: Pick<Config, 'host' | 'servicesPort'>,
    private readonly doors: readonly GrpcDoor[],
    private readonly pipeline: CallPipeline,
    private readonly certificates: GrpcCertificates | undefined,
  ) {
    const timeouts = { requestTimeout: RECEIVE_TIMEOUT_MS, headersTimeout: RECEIVE_TIMEOUT_MS };
    const options = { ...timeouts, connectionsCheckingInterval: 1000 };
    const serve = (request: IncomingMessage, response: ServerResponse) =>
      refuseUnread(request, response, () => void this.serve(request, response));
    const server = certificates
      ? createTlsServer({ ...options, ...certificates.options, handshakeTimeout: RECEIVE_TIMEOUT_MS }, serve)
      : createServer(options, serve);
    if (server instanceof TlsServer) certificates?.renewFor(server);
    this.listener = new HttpListener(server, 'SERVICES_PORT', config.servicesPort, config.host);
  }

  /** Listens if SERVICES_PORT is set. @throws the port is taken */
  async open(): Promise<void> {
    if (this.config.servicesPort === undefined) return;
    for (const door of this.doors) {
      const { methods } = loadProto(door.proto).resolveAll().lookupService(door.service);
      for (const [name, served] of this.pipeline.unaryMethods(door)) {
        const { path, requestDeserialize, responseSerialize } = door.definition[name]!;
        const { resolvedRequestType, resolvedResponseType } = methods[name]!;
        const [read, write] = [jsonReader(resolvedRequestType!), jsonWriter(resolvedResponseType!)];
        this.methods.set(path, {
          ...served,
          read: (body) => requestDeserialize(read(body)) as never,
          write: (answer) => write(responseSerialize(answer)),
        });
      }
    }
    await this.listener.open();
  }

  close(): Promise<void> {
    this.certificates?.close();
    return this.listener.close();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const begun = performance.now();
    const method = this.methods.get(request.url!);
    const refusal = refusalOf(request, method);
    if (refusal || !method) return send(request, response, refusal ?? NOT_SERVED);
    let identity: CallingService;
    try {
      identity = this.pipeline.admit(method, callerOf(request));
    } catch (error) {
      return send(request, response, failureOf(error));
    }
    let isLate = false;
    const call: IncomingCall<unknown> = {
      identity,
      traceparent: () => request.headers['traceparent'] as string | undefined,
      isCancelled: () => isLate || response.destroyed,
      succeed: (answer, metadata) => {
        const headers = metadata?.getMap() as Record<string, string> | undefined;
        send(request, response, { status: 200, body: method.write(answer), headers });
      },
      fail: (error) => send(request, response, failureOf(error)),
    };
    try {
      limitTime(request, response, () => {
        isLate = true;
        send(request, response, TOO_LATE);
      });
      const body = await bodyOf(request);
      if (body !== undefined && !call.isCancelled()) method.serve(method.read(body), call);
    } catch (error) {
      this.pipeline.countUnread(method.name, error, begun);
      call.fail(error);
    }
  }
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Of Node's timers. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** @param end is called when the time of `Connect-Timeout-Ms` has passed @throws LatchkeyError: it is no number */
function limitTime({ headers }: IncomingMessage, response: ServerResponse, end: () => void): void {
  const header = headers['connect-timeout-ms'];
  if (header === undefined) return;
  if (!/^\d{1,10}$/.test(String(header))) throw new LatchkeyError('invalid_request', 'Connect-Timeout-Ms is no number');
  const timer = setTimeout(end, Math.min(Number(header), MAX_TIMER_MS));
  response.once('close', () => clearTimeout(timer));
}

const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i;
const IDENTITY = [undefined, 'identity'];

const NOT_SERVED = refused(404, grpc.UNIMPLEMENTED, 'There is no such method: POST /latchkey.v1.<Service>/<Method>');
const NOT_POST = { ...refused(405, grpc.UNIMPLEMENTED, 'Send POST'), headers: { allow: 'POST' } };
const NOT_JSON = refused(415, grpc.INVALID_ARGUMENT, 'Content-Type must be application/json, without Content-Encoding');
const BY_A_BROWSER = refused(
  403,
  grpc.PERMISSION_DENIED,
  'Pages in browsers may not call services: no Origin, no Sec-Fetch-Site',
);
const TOO_LATE = refused(504, grpc.DEADLINE_EXCEEDED, 'The time of Connect-Timeout-Ms has passed');

/** What is wrong with a request before anything of its body is read. */
function refusalOf({ headers, method: verb }: IncomingMessage, method: JsonMethod | undefined): Answer | undefined {
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) return BY_A_BROWSER;
  if (!method) return NOT_SERVED;
  if (verb !== 'POST') return NOT_POST;
  const isJson = JSON_TYPE.test(headers['content-type'] ?? '') && IDENTITY.includes(headers['content-encoding']);
  return isJson ? undefined : NOT_JSON;
}

function callerOf(request: IncomingMessage): Caller {
  const socket = request.socket as Partial<TLSSocket>;
  return {
    authorization: headerValues(request, 'authorization'),
    certificate: () => (socket.authorized ? socket.getPeerCertificate?.() : undefined),
    address: () => socket.remoteAddress,
  };
}

/** Undefined if the caller leaves before its end. @throws LatchkeyError: it is too large */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const tooLarge = () => new LatchkeyError('payload_too_large', `The body is too large: at most 64 KiB are read`);
  if (Number(request.headers['content-length'] ?? 0) > MAX_MESSAGE_BYTES) throw tooLarge();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_MESSAGE_BYTES) chunks.push(chunk);
      else reject(tooLarge());
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('close', () => resolve(undefined));
    request.once('error', () => resolve(undefined));
  });
}

function refused(status: number, code: grpc, message: string): Answer {
  return { status, body: JSON.stringify({ code: grpc[code].toLowerCase(), message }) };
}

/** Of the Connect protocol, for the codes of the error table. */
const HTTP_STATUS: Readonly<Partial<Record<grpc, number>>> = {
  [grpc.INVALID_ARGUMENT]: 400,
  [grpc.FAILED_PRECONDITION]: 400,
  [grpc.UNAUTHENTICATED]: 401,
  [grpc.PERMISSION_DENIED]: 403,
  [grpc.NOT_FOUND]: 404,
  [grpc.ALREADY_EXISTS]: 409,
  [grpc.RESOURCE_EXHAUSTED]: 429,
  [grpc.UNAVAILABLE]: 503,
};

function failureOf(error: unknown): Answer {
  const { grpc: code, message } = mapError(error);
  const headers = { ...codeOf(error), ...(code === grpc.UNAUTHENTICATED && { 'www-authenticate': 'Bearer' }) };
  return { ...refused(HTTP_STATUS[code] ?? 500, code, message), headers };
}

/** How long a caller that has its answer may still send its request. */
const LINGER_MS = 1000;

/** An answer before the end of the request closes the connection, once the caller has had a chance to read it. */
function send(request: IncomingMessage, response: ServerResponse, { status, body, headers }: Answer): void {
  if (response.headersSent || response.destroyed) return;
  const isEarly = !request.complete && hasBody(request);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...(isEarly && { connection: 'close' }),
    ...headers,
  });
  if (!isEarly) return void response.end(body);
  response.write(body);
  const timer = setTimeout(() => response.end(), LINGER_MS);
  response.once('close', () => clearTimeout(timer));
  request.resume().once('end', () => response.end());
}
