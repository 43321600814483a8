import { type ChannelCredentials, Client, credentials, loadPackageDefinition, type Metadata } from '@grpc/grpc-js';
import { loadSync, type MethodDefinition } from '@grpc/proto-loader';
import { answer } from '#test/support/callers/grpc-clients.js';
import { ENVOY_API } from './envoy-api.js';

const definition = loadSync('envoy/service/auth/v3/external_auth.proto', {
  includeDirs: ENVOY_API,
  keepCase: true,
  longs: String,
  enums: String,
  defaults: true,
  oneofs: true,
});
const service = definition['envoy.service.auth.v3.Authorization'] as Record<string, MethodDefinition<object, object>>;
export const CHECK = service['Check']!;
type Call = (...args: unknown[]) => unknown;
type AuthorizationClient = new (...args: unknown[]) => Client & { Check: Call };
const { Authorization } = (
  loadPackageDefinition(definition) as unknown as {
    envoy: { service: { auth: { v3: { Authorization: AuthorizationClient } } } };
  }
).envoy.service.auth.v3;

export interface Incoming {
  readonly method?: string;
  /** With the query. */
  readonly path?: string;
  readonly host?: string;
  /** The address of Envoy's client. */
  readonly peer?: string;
  /** Names in lower case, as in Envoy. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface HeaderOption {
  readonly header: { readonly key: string; readonly value: string };
  readonly append: null;
  readonly append_action: string;
}

interface Outcome {
  /** The gRPC status code in the answer. */
  readonly code: number;
  /** The status that the client gets; 200 comes from the service behind Envoy. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The headers that the service behind Envoy receives, if the request reaches it. */
  readonly forwarded: Readonly<Record<string, string>> | undefined;
  /** The message for Envoy's operator. */
  readonly message: string;
}

/** Sends checks like Envoy, with Envoy's own definitions, and treats the answer like Envoy's filter. */
export class ExtAuthz {
  private readonly client: InstanceType<AuthorizationClient>;

  constructor(
    target: string,
    private readonly metadata: Metadata,
    security: ChannelCredentials = credentials.createInsecure(),
  ) {
    this.client = new Authorization(target, security);
  }

  /** @param contextExtensions the route's check_settings */
  async pass(
    {
      method = 'GET',
      path = '/backend/api/systems?q=1',
      host = 'api.example.com',
      peer = '203.0.113.9',
      headers = {},
    }: Incoming,
    contextExtensions: Readonly<Record<string, string>>,
  ) {
    const socket = (address: string, port: number) => ({ address: { socket_address: { address, port_value: port } } });
    const check = {
      attributes: {
        source: { ...socket(peer, 40_000), principal: 'spiffe://somebody' },
        destination: socket('192.0.2.1', 8080),
        request: {
          time: { seconds: '1790000000', nanos: 5 },
          http: {
            id: '7734191919',
            method,
            headers: { ':method': method, ':path': path, ...headers },
            path,
            host,
            scheme: 'https',
            size: '-1',
            protocol: 'HTTP/1.1',
          },
        },
        context_extensions: contextExtensions,
        metadata_context: { filter_metadata: {} },
      },
    };
    const response = await answer<CheckResponse>((done) => this.client.Check(check, this.metadata, done));
    return outcomeOf(response, headers);
  }

  close(): void {
    this.client.close();
  }
}

interface CheckResponse {
  readonly status: { readonly code: number; readonly message: string };
  readonly ok_response?: {
    readonly headers: HeaderOption[];
    readonly headers_to_remove: string[];
    readonly response_headers_to_add: HeaderOption[];
  };
  readonly denied_response?: {
    readonly status: { readonly code: string };
    readonly headers: HeaderOption[];
    readonly body: string;
  };
}

const HTTP_STATUS: Readonly<Record<string, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  TooManyRequests: 429,
  ServiceUnavailable: 503,
};

function outcomeOf(
  { status, ok_response: ok, denied_response: denied }: CheckResponse,
  sent: Incoming['headers'],
): Outcome {
  const { code, message } = status;
  if (code !== 0) {
    if (!denied) throw new Error('a denial without a response is a bare 403');
    const headers = changed({ 'content-type': 'text/plain' }, denied.headers);
    return {
      code,
      message,
      status: HTTP_STATUS[denied.status.code]!,
      headers,
      body: denied.body,
      forwarded: undefined,
    };
  }
  const forwarded = changed(sent!, ok!.headers);
  for (const name of ok!.headers_to_remove) delete forwarded[name];
  return { code, message, status: 200, headers: changed({}, ok!.response_headers_to_add), body: undefined, forwarded };
}

/**
 * Works like Envoy's `ext_authz_grpc_impl.cc` and `ext_authz.cc`: without `append` the action decides, and 0 means
 * append.
 */
function changed(headers: Readonly<Record<string, string>>, options: readonly HeaderOption[]) {
  const result: Record<string, string> = { ...headers };
  for (const { header, append, append_action: action } of options) {
    const name = header.key;
    if (append !== null || action !== 'OVERWRITE_IF_EXISTS_OR_ADD') {
      result[name] = [result[name], header.value].filter((value) => value !== undefined).join(',');
    } else result[name] = header.value;
  }
  return result;
}
