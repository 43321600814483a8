import { DEMO_OWNER } from '#config/demo.js';
import type { ApiKeyView, CreatedApiKeyView } from '#infrastructure/inbound/http/management/views.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed if it is JSON; undefined if there is none. */
  readonly body: any; // eslint-disable-line @typescript-eslint/no-explicit-any
}

/** A person at the settings screen: a plain HTTP client that keeps its cookie. */
export class Person {
  cookie = '';

  constructor(private readonly url: string) {}

  /** @param body sent as JSON; a text is sent unchanged */
  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const hasBody = body !== undefined;
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(this.cookie ? { cookie: this.cookie } : {}),
        ...(hasBody ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(hasBody ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
      redirect: 'manual',
    });
    const [setCookie] = response.headers.getSetCookie();
    if (setCookie) this.cookie = setCookie.split(';', 1)[0]!;
    const text = await response.text();
    const isJson = text !== '' && (response.headers.get('content-type')?.includes('json') ?? false);
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text || undefined };
  }

  async signIn(email = DEMO_OWNER.email, password = DEMO_OWNER.password): Promise<this> {
    const { status, body } = await this.call('POST', '/v1/session', { email, password });
    if (status !== 204) throw new Error(`sign-in answered ${status}: ${JSON.stringify(body)}`);
    return this;
  }

  create(order: object = {}, headers: Record<string, string> = {}): Promise<Answer> {
    const defaults = { name: 'CI', access: 'read-and-write', expiresInDays: 1, password: DEMO_OWNER.password };
    return this.call('POST', '/v1/api-keys', { ...defaults, ...order }, headers);
  }

  /** Creates a key; throws if that fails. */
  async newKey(order: object = {}): Promise<CreatedApiKeyView> {
    const { status, body } = await this.create(order);
    if (status !== 201) throw new Error(`create answered ${status}: ${JSON.stringify(body)}`);
    return body as CreatedApiKeyView;
  }

  rotate(id: string, order: object = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call('POST', `/v1/api-keys/${id}/rotate`, { password: DEMO_OWNER.password, ...order }, headers);
  }

  rename(id: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call('PATCH', `/v1/api-keys/${id}`, body, headers);
  }

  revoke(id: string): Promise<Answer> {
    return this.call('POST', `/v1/api-keys/${id}/revoke`);
  }

  async list(
    query = '',
  ): Promise<{ items: ApiKeyView[]; activeKeys: number; endedKeys: number; nextCursor: string | null }> {
    return (await this.call('GET', `/v1/api-keys${query}`)).body;
  }

  async events(query = ''): Promise<{ items: { type: string; reason: string | null; count: number }[] }> {
    return (await this.call('GET', `/v1/audit-events${query}`)).body;
  }
}
