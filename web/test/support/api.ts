import type { ApiClient } from '../../src/api/client';
import type {
  ApiKey,
  ApiKeyPage,
  AuditEvent,
  KeyHistory,
  KeyPolicy,
  ManagedAccount,
  Session,
} from '../../src/api/types';
import type { AuditedEventPage, FoundKey, KeyOwner, OwnedKeyPage, RevokedKeys } from '../../src/admin/types';
import { anApiKey, DAY_MS, iso } from './keys';

/** The calls of the screen: by the name of the client's method, or for administrators by what they are for. */
const CALLS = {
  getSession: 'GET /v1/session',
  signIn: 'POST /v1/session',
  signOut: 'DELETE /v1/session',
  listAccounts: 'GET /v1/accounts',
  listKeys: 'GET /v1/api-keys',
  getKey: 'GET /v1/api-keys/:id',
  createKey: 'POST /v1/api-keys',
  rotateKey: 'POST /v1/api-keys/:id/rotate',
  revokeKey: 'POST /v1/api-keys/:id/revoke',
  pauseKey: 'POST /v1/api-keys/:id/pause',
  resumeKey: 'POST /v1/api-keys/:id/resume',
  markHandled: 'POST /v1/api-keys/:id/handled',
  renameKey: 'PATCH /v1/api-keys/:id',
  getPermissions: 'GET /v1/permissions',
  listEvents: 'GET /v1/audit-events',
  findAccounts: 'GET /v1/admin/accounts',
  findKeys: 'GET /v1/admin/api-keys',
  findKey: 'GET /v1/admin/api-keys/:id',
  endKey: 'POST /v1/admin/api-keys/:id/revoke',
  pauseAnyKey: 'POST /v1/admin/api-keys/:id/pause',
  resumeAnyKey: 'POST /v1/admin/api-keys/:id/resume',
  endKeys: 'POST /v1/admin/api-keys/revoke',
  findEvents: 'GET /v1/admin/audit-events',
} as const;
export type CallName = keyof typeof CALLS;

interface AdministratorAnswers {
  findAccounts: { readonly items: readonly KeyOwner[] };
  findKeys: OwnedKeyPage;
  findKey: FoundKey;
  endKey: FoundKey;
  pauseAnyKey: FoundKey;
  resumeAnyKey: FoundKey;
  endKeys: RevokedKeys;
  findEvents: AuditedEventPage;
}

/** What the client returns for a call, so that an answer that the service can't give does not compile. */
type AnswerTo<Name extends CallName> = Name extends keyof ApiClient
  ? Awaited<ReturnType<ApiClient[Name]>>
  : Name extends keyof AdministratorAnswers
    ? AdministratorAnswers[Name]
    : never;

export interface MadeCall {
  readonly id: string;
  readonly query: Readonly<Record<string, string>>;
  // oxlint-disable-next-line typescript/no-explicit-any -- specs compare it with what they expect
  readonly body: any;
  readonly headers: Readonly<Record<string, string>>;
}

/** A refusal by the service (RFC 9457). */
export class Refusal {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly more: Readonly<Record<string, unknown>> = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** The service can't be reached. */
export class NoAnswer {}

type Answer<Name extends CallName> = AnswerTo<Name> | Refusal | NoAnswer;
type Script<Name extends CallName> = (call: MadeCall) => Answer<Name> | Promise<Answer<Name>>;

const NEVER_USED: KeyHistory = { uses: [], days: [] };

/** Answers `fetch` like a service with these keys. A spec changes what it has, or scripts single calls. */
export class ScriptedApi {
  session: Session | undefined = {
    ownerId: 'ada',
    email: 'ada@example.com',
    displayName: 'Ada Lovelace',
    expiresAt: iso(DAY_MS),
    confirmation: 'password',
    expiryNoticeDays: [],
    clientIp: '203.0.113.7',
    isAdministrator: false,
  };
  keys: ApiKey[] = [];
  histories: Record<string, KeyHistory> = {};
  events: AuditEvent[] = [];
  accounts: ManagedAccount[] = [{ id: 'ada', displayName: 'Ada Lovelace', kind: 'person', status: 'active' }];
  permissions: string[] = [];
  policy: KeyPolicy = {
    maxActiveKeys: 5,
    maxKeyDays: 365,
    maxAccess: 'read-and-write',
    newKeys: true,
    limitedByAccount: [],
  };
  /** How far the clock of the service is ahead of the browser's. */
  aheadMs = 0;

  private readonly made: { name: CallName; call: MadeCall }[] = [];
  private readonly scripts = new Map<CallName, Script<CallName>[]>();
  private readonly lasting = new Map<CallName, Script<CallName>>();

  constructor() {
    globalThis.fetch = this.fetch as typeof fetch;
  }

  /** Answers the next call of this name; several answer one call each, in their order. */
  once<Name extends CallName>(name: Name, script: Script<Name> | Answer<Name>): this {
    this.scripts.set(name, [...(this.scripts.get(name) ?? []), scriptOf(script)]);
    return this;
  }

  /** Answers every call of this name. */
  always<Name extends CallName>(name: Name, script: Script<Name> | Answer<Name>): this {
    this.lasting.set(name, scriptOf(script));
    return this;
  }

  /** Keeps the next call of this name waiting, until the returned function is called. */
  hold(name: CallName): () => void {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    this.once(name, async (call) => {
      await held;
      return this.usual(name, call);
    });
    return release;
  }

  /** The calls of this name until now. */
  calls = (name: CallName): readonly MadeCall[] =>
    this.made.filter((each) => each.name === name).map((each) => each.call);

  key = (id: string): ApiKey => {
    const found = this.keys.find((key) => key.id === id);
    if (!found) throw new Error(`The scripted service has no key ${id}`);
    return found;
  };

  /** Changes a key as the service would have. */
  change(id: string, change: Partial<ApiKey>): ApiKey {
    const changed = { ...this.key(id), ...change };
    this.keys = this.keys.map((key) => (key.id === id ? changed : key));
    return changed;
  }

  /** A list with these keys. */
  pageOf(keys: readonly ApiKey[]): ApiKeyPage {
    const activeKeys = keys.filter(({ status }) => status === 'active').length;
    const endedKeys = keys.length - activeKeys;
    const { maxActiveKeys } = this.policy;
    const policy = { revokeIdleAfterDays: null, ...this.policy };
    return { items: keys, activeKeys, endedKeys, maxActiveKeys, policy, nextCursor: null, now: this.now() };
  }

  private readonly fetch = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(address, location.href);
    const { name: called, id } = named(init.method ?? 'GET', url.pathname);
    const sent = [...new Headers(init.headers).entries()];
    const headers = Object.fromEntries(sent.map(([name, value]) => [name.toLowerCase(), value]));
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
    const call = { id, query: Object.fromEntries(url.searchParams), body, headers };
    this.made.push({ name: called, call });
    const script =
      this.scripts.get(called)?.shift() ?? this.lasting.get(called) ?? ((made) => this.usual(called, made));
    const answer = await script(call);
    if (answer instanceof NoAnswer) throw new TypeError('Failed to fetch');
    if (answer instanceof Refusal) {
      const { status, code, more } = answer;
      const problem = { 'content-type': 'application/problem+json', ...answer.headers };
      return new Response(JSON.stringify({ status, code, title: code, ...more }), { status, headers: problem });
    }
    if (answer === undefined) return new Response(null, { status: 204 });
    return new Response(JSON.stringify(answer), { headers: { 'content-type': 'application/json' } });
  };

  private now = () => iso(this.aheadMs);

  /** What a service with these keys answers. */
  private usual(name: CallName, call: MadeCall): Answer<CallName> {
    if (!this.session && name !== 'signIn') return new Refusal(401, 'unauthenticated');
    return (this.answers[name] as Script<CallName>)(call) as Answer<CallName>;
  }

  private readonly answers: { [Name in CallName]: (call: MadeCall) => Answer<Name> } = {
    getSession: () => this.session ?? new Refusal(401, 'unauthenticated'),
    signIn: () => undefined,
    signOut: () => {
      this.session = undefined;
      return undefined;
    },
    listAccounts: () => ({ items: this.accounts }),
    listKeys: () => this.pageOf(this.keys),
    getKey: ({ id }) => this.found(id, (key) => ({ ...key, ...(this.histories[id] ?? NEVER_USED) })),
    createKey: ({ body }) => this.make({ ...body, expiresAt: iso(this.aheadMs + body.expiresInDays * DAY_MS) }),
    rotateKey: ({ id, body }) => {
      const { name, note, access, permissions, allowedNetworks } = this.key(id);
      const expiresAt = iso(this.aheadMs + body.expiresInDays * DAY_MS);
      const graceSeconds = body.graceSeconds ?? null;
      const made = this.make({
        name,
        note,
        access,
        permissions,
        allowedNetworks,
        graceSeconds,
        replaces: id,
        expiresAt,
      });
      this.change(id, { replacedBy: made.apiKey.id });
      return made;
    },
    pauseKey: ({ id, body }) => this.change(id, { pausedUntil: iso(this.aheadMs + body.minutes * 60_000) }),
    resumeKey: ({ id }) => this.change(id, { pausedUntil: null }),
    revokeKey: ({ id, body }) => {
      const revokedReason = body?.leaked ? 'leaked' : 'owner';
      return this.found(id, () => this.change(id, { status: 'revoked', revokedAt: this.now(), revokedReason }));
    },
    markHandled: ({ id, body }) =>
      this.found(id, (key) => this.change(id, { handled: [...(key.handled ?? []), body.mark] })),
    renameKey: ({ id, body }) => this.found(id, () => this.change(id, body)),
    getPermissions: () => ({ items: this.permissions, maxAccess: this.policy.maxAccess }),
    listEvents: ({ query: { type = '', keyId } }) => ({
      items: this.events.filter(
        (event) => (!type || type.split(',').includes(event.type)) && (!keyId || event.keyId === keyId),
      ),
      nextCursor: null,
      now: this.now(),
    }),
    findAccounts: () => ({ items: [] }),
    findKeys: () => new Refusal(404, 'not_found'),
    findKey: () => new Refusal(404, 'not_found'),
    endKey: () => new Refusal(404, 'not_found'),
    pauseAnyKey: () => new Refusal(404, 'not_found'),
    resumeAnyKey: () => new Refusal(404, 'not_found'),
    endKeys: () => new Refusal(404, 'not_found'),
    findEvents: () => new Refusal(404, 'not_found'),
  };

  private found<T>(id: string, answer: (key: ApiKey) => T): T | Refusal {
    const key = this.keys.find((each) => each.id === id);
    return key ? answer(key) : new Refusal(404, 'not_found');
  }

  private make({ name, note, access, permissions, allowedNetworks, ...more }: Partial<ApiKey>) {
    const apiKey = anApiKey({
      ...(name !== undefined && { name }),
      ...(access !== undefined && { access }),
      note: note ?? null,
      permissions: permissions ?? null,
      allowedNetworks: allowedNetworks ?? null,
      graceSeconds: more.graceSeconds ?? null,
      replaces: more.replaces ?? null,
      ...(more.expiresAt !== undefined && { expiresAt: more.expiresAt }),
      createdAt: this.now(),
    });
    this.keys = [apiKey, ...this.keys];
    return { apiKey, fullKey: `${apiKey.prefix}.${SECRET}` };
  }
}

/** The secret part of each new key. */
export const SECRET = 'secret'.repeat(8);

const scriptOf = <Name extends CallName>(script: Script<Name> | Answer<Name>): Script<CallName> =>
  (typeof script === 'function' ? script : () => script) as Script<CallName>;

/** @throws for a call that the screen has no name for here */
function named(method: string, path: string): { name: CallName; id: string } {
  for (const [name, call] of Object.entries(CALLS)) {
    const pattern = new RegExp(`^${call.replace(':id', '([^/]+)')}$`);
    const match = pattern.exec(`${method} ${path}`);
    if (match) return { name: name as CallName, id: decodeURIComponent(match[1] ?? '') };
  }
  throw new Error(`The scripted service does not know ${method} ${path}`);
}
