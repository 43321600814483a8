import { takeBegun, TIMEOUT_MS } from './begun';
import { queryOf } from './query';
import { type FreshSignIn, hasCode, NoAnswer, readProblem } from './problem';
import { learnTime } from '../time/useNow';
import type {
  ApiKey,
  ApiKeyPage,
  AuditEventPage,
  CreatedKey,
  CreateKeyRequest,
  KeyHistory,
  ManagedAccount,
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
  /** The id of the person whom the page shows, once it is known: the service changes nothing for another one. */
  readonly person?: () => string | undefined;
  /** Called when somebody else was signed in, so that nothing was changed. */
  readonly onAnotherPerson?: () => void;
  /** The service account whose keys the calls are about. Default: the person's own. */
  readonly account?: string;
  /** Called when a call about the keys of the account has failed. */
  readonly onRefused?: (error: unknown) => void;
}

export interface Call {
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

  /** The person's own account first, then the service accounts that they manage. */
  listAccounts = () => this.call<{ readonly items: readonly ManagedAccount[] }>('/v1/accounts', { isOwnersOnly: true });

  listKeys = (cursor?: string) => this.ofAccount<ApiKeyPage>('/v1/api-keys', { query: { cursor } });

  getKey = (id: string) => this.ofAccount<ApiKey & KeyHistory>(pathOf(id));

  getPermissions = () => this.ofAccount<Permissions>('/v1/permissions');

  createKey = (body: CreateKeyRequest, idempotencyKey: string, token?: string) =>
    this.ofAccount<CreatedKey>('/v1/api-keys', { method: 'POST', body, idempotencyKey, token });

  rotateKey = (id: string, body: RotateKeyRequest, idempotencyKey: string, token?: string) =>
    this.ofAccount<CreatedKey>(`${pathOf(id)}/rotate`, { method: 'POST', body, idempotencyKey, token });

  /** A token of a person who has just signed in again; undefined where there are no tokens. */
  freshToken = async (freshSignIn: FreshSignIn): Promise<string | undefined> => this.options.getToken?.(freshSignIn);

  revokeKey = (id: string, leaked?: boolean) =>
    this.ofAccount<ApiKey>(`${pathOf(id)}/revoke`, { method: 'POST', ...(leaked && { body: { leaked } }) });

  pauseKey = (id: string, minutes: number) =>
    this.ofAccount<ApiKey>(`${pathOf(id)}/pause`, { method: 'POST', body: { minutes } });

  resumeKey = (id: string, body: { readonly password?: string }, token?: string) =>
    this.ofAccount<ApiKey>(`${pathOf(id)}/resume`, { method: 'POST', body, token });

  markHandled = (id: string, mark: string) =>
    this.ofAccount<ApiKey>(`${pathOf(id)}/handled`, { method: 'POST', body: { mark } });

  renameKey = (id: string, body: RenameKeyRequest) => this.ofAccount<ApiKey>(pathOf(id), { method: 'PATCH', body });

  listEvents = (types: readonly string[], keyId: string | undefined, cursor?: string) =>
    this.ofAccount<AuditEventPage>('/v1/audit-events', {
      query: { type: types.join(','), keyId, limit: '50', cursor },
    });

  forAccount(account: string, onRefused: (error: unknown) => void): ApiClient {
    return new ApiClient({ ...this.options, account, onRefused });
  }

  private async ofAccount<T>(path: string, call: Call = {}): Promise<T> {
    const { account, onRefused } = this.options;
    try {
      return await this.call<T>(path, { ...call, query: { ...call.query, account }, isOwnersOnly: true });
    } catch (error) {
      onRefused?.(error);
      throw error;
    }
  }

  /** If the session has ended, the person signs in again, and the call is then repeated. */
  async call<T>(path: string, call: Call): Promise<T> {
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
    if (!response.ok) {
      const problem = await readProblem(response);
      if (problem.code === 'another_person') this.options.onAnotherPerson?.();
      throw problem;
    }
    if (response.status === 204) return undefined as T;
    const answer = (await response.json().catch((cause: unknown) => {
      throw new NoAnswer('The answer broke off', { cause });
    })) as T & { readonly now?: string };
    learnTime(answer.now);
    return answer;
  }

  private async requestInit({ method = 'GET', body, idempotencyKey, token }: Call): Promise<RequestInit> {
    const { getToken, person } = this.options;
    const headers = new Headers({ Accept: 'application/json' });
    if (body !== undefined) headers.set('Content-Type', 'application/json');
    if (idempotencyKey) headers.set('Idempotency-Key', idempotencyKey);
    const shown = method === 'GET' ? undefined : person?.();
    if (shown !== undefined) headers.set('Latchkey-Person', shown);
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
    return `${this.options.apiBaseUrl.replace(/\/+$/, '')}${path}${queryOf(query)}`;
  }
}

const pathOf = (keyId: string) => `/v1/api-keys/${encodeURIComponent(keyId)}`;
