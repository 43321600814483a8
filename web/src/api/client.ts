import { takeBegun, TIMEOUT_MS } from './begun';
import type { FreshSignIn } from './fresh-sign-in';
import { NoAnswer, hasCode, readProblem } from './problem';
import type {
  ApiKey,
  ApiKeyPage,
  AuditEventPage,
  AuditEventType,
  CreatedKey,
  CreateKeyRequest,
  KeyHistory,
  KeyStatus,
  Permissions,
  RenameKeyRequest,
  RotateKeyRequest,
  Session,
} from './types';

export interface ApiClientOptions {
  /** Origin of the service, or empty for the page's own. */
  readonly apiBaseUrl: string;
  /**
   * Returns the platform's JWT. Without this function the session cookie of the same origin is used. Called with a
   * `FreshSignIn` when a key is to be made and the sign-in is too old or too weak: the person signs in again, and the
   * result is a token with the new `auth_time` and `acr`. Rejects when the person does not sign in.
   */
  readonly getToken?: ((freshSignIn?: FreshSignIn) => Promise<string> | string) | undefined;
  /** Asks the person to sign in again. Resolves with whether they did. */
  readonly signInAgain?: (() => Promise<boolean>) | undefined;
}

interface EventQuery {
  readonly types: readonly AuditEventType[];
  readonly keyId: string | undefined;
}

interface Call {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  /** Unset for calls that are also made without a session. */
  readonly isOwnersOnly?: boolean;
  /** Replaces the token of `getToken`. */
  readonly token?: string | undefined;
}

export class ApiClient {
  constructor(private readonly options: ApiClientOptions) {}

  getSession = () => this.call<Session>('/v1/session', {});

  /** The owner of the keys, or the person whom the token names. */
  getOwner = (token?: string) => this.call<Session>('/v1/session', { isOwnersOnly: true, token });

  signIn = (email: string, password: string) =>
    this.call<void>('/v1/session', { method: 'POST', body: { email, password } });

  /** @returns where the platform signs the person out, too, if it does */
  signOut = () => this.call<{ readonly signOutUrl?: string } | undefined>('/v1/session', { method: 'DELETE' });

  listKeys = (status: KeyStatus | undefined, cursor?: string) =>
    this.call<ApiKeyPage>('/v1/api-keys', { query: { status, cursor }, isOwnersOnly: true });

  getKey = (id: string) =>
    this.call<ApiKey & KeyHistory>(`/v1/api-keys/${encodeURIComponent(id)}`, { isOwnersOnly: true });

  getPermissions = () => this.call<Permissions>('/v1/permissions', { isOwnersOnly: true });

  createKey = (body: CreateKeyRequest, idempotencyKey: string, token?: string) =>
    this.call<CreatedKey>('/v1/api-keys', { method: 'POST', body, idempotencyKey, isOwnersOnly: true, token });

  rotateKey = (id: string, body: RotateKeyRequest, idempotencyKey: string, token?: string) =>
    this.call<CreatedKey>(`/v1/api-keys/${encodeURIComponent(id)}/rotate`, {
      method: 'POST',
      body,
      idempotencyKey,
      isOwnersOnly: true,
      token,
    });

  /** A token of a person who has just signed in again; undefined where there are no tokens. */
  freshToken = async (freshSignIn: FreshSignIn): Promise<string | undefined> => this.options.getToken?.(freshSignIn);

  revokeKey = (id: string) =>
    this.call<ApiKey>(`/v1/api-keys/${encodeURIComponent(id)}/revoke`, { method: 'POST', isOwnersOnly: true });

  renameKey = (id: string, body: RenameKeyRequest) =>
    this.call<ApiKey>(`/v1/api-keys/${encodeURIComponent(id)}`, { method: 'PATCH', body, isOwnersOnly: true });

  listEvents = ({ types, keyId }: EventQuery, cursor?: string) =>
    this.call<AuditEventPage>('/v1/audit-events', {
      query: { type: types.join(','), keyId, limit: '50', cursor },
      isOwnersOnly: true,
    });

  /** If the session has ended, the person signs in again, and the call is then repeated. */
  private async call<T>(path: string, call: Call): Promise<T> {
    try {
      return await this.attempt<T>(path, call);
    } catch (error) {
      const { signInAgain } = this.options;
      const isSignedOut = call.isOwnersOnly && hasCode(error, 'unauthenticated');
      if (!isSignedOut || !signInAgain || !(await signInAgain())) throw error;
      return this.attempt<T>(path, call);
    }
  }

  private async attempt<T>(path: string, call: Call): Promise<T> {
    const url = this.urlOf(path, call);
    const begun = call.method === undefined ? takeBegun(url) : undefined;
    const response = await (begun ?? fetch(url, await this.requestInit(call))).catch((cause: unknown) => {
      throw new NoAnswer('The service did not answer', { cause });
    });
    if (!response.ok) throw await readProblem(response);
    if (response.status === 204) return undefined as T;
    return (await response.json().catch((cause: unknown) => {
      throw new NoAnswer('The answer broke off', { cause });
    })) as T;
  }

  private async requestInit({ method = 'GET', body, idempotencyKey, token }: Call): Promise<RequestInit> {
    const { getToken } = this.options;
    const headers = new Headers({ Accept: 'application/json' });
    if (body !== undefined) headers.set('Content-Type', 'application/json');
    if (idempotencyKey) headers.set('Idempotency-Key', idempotencyKey);
    if (getToken) headers.set('Authorization', `Bearer ${token ?? (await getToken())}`);
    return {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      credentials: getToken ? 'omit' : 'same-origin',
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    };
  }

  private urlOf(path: string, { query = {} }: Call): string {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const search = new URLSearchParams(given).toString();
    return `${this.options.apiBaseUrl.replace(/\/+$/, '')}${path}${search && `?${search}`}`;
  }
}
