/** The part of AccountService's answer that the model knows. */
export interface AccountAnswer {
  readonly status: 'active' | 'suspended';
  readonly permissions: readonly string[];
  /** An attribute. The limits of plans that begin with `read-only` allow keys no more; '' before the first one. */
  readonly plan: string;
}

export type Verdict =
  | { readonly granted: { readonly keyId: string; readonly permissions: readonly string[]; readonly plan: string } }
  | { readonly denied: string };

/** The new key, or the code of an error. */
type Made = { readonly keyId: string } | string;

/** Without an answer, it is unknown whether the change was made. */
export type OwnerAction =
  /** Without a plan, limits and attributes stay. */
  | { kind: 'put'; permissions: readonly string[]; plan?: string | undefined; answer?: AccountAnswer | undefined }
  | { kind: 'get' | 'suspend' | 'reactivate'; answer?: AccountAnswer | undefined }
  | { kind: 'create'; answer?: Made | undefined }
  | { kind: 'rotate'; keyId: string; hasGrace: boolean; answer?: Made | undefined }
  /** `revoked`, or the code of an error. */
  | { kind: 'revoke'; keyId: string; answer?: string | undefined }
  /** `mayBeFirst`: the key is a successor, and this may be its first use, which may end the old key. */
  | { kind: 'validate'; keyId: string; mayBeFirst?: true; permission: string; answer?: Verdict | undefined };

/** Two active keys: the old key and its successor. */
interface Pair {
  readonly old: string;
  readonly next: string;
  /** Whether the old key has a grace period, which is longer than any history. */
  readonly hasGrace: boolean;
}

/** Plain data; equal states have equal JSON. */
export interface OwnerState extends AccountAnswer {
  /** Sorted ids, which are invented where the creation was not answered. Those of revoked keys are sorted, too. */
  readonly activeKeys: readonly string[];
  readonly revokedKeys: readonly string[];
  /** In the order of the old keys. */
  readonly pairs: readonly Pair[];
}

const MAX_ACTIVE_KEYS = 5;

export const INITIAL: OwnerState = {
  ...{ status: 'active', permissions: [], plan: '' },
  ...{ activeKeys: [], revokedKeys: [], pairs: [] },
};

/** Returns the state after the action; undefined when `state` cannot give this answer. */
export function step(state: OwnerState, action: OwnerAction): OwnerState | undefined {
  const { kind, answer: given } = action;
  // The delay of password guesses is not part of this state.
  if (given === 'too_many_attempts' && (kind === 'create' || kind === 'rotate')) return state;
  const [answer, after = state] = handle(state, action);
  return given === undefined || JSON.stringify(given) === JSON.stringify(answer) ? after : undefined;
}

/** Whether the action, with its answer, leaves every state unchanged. */
export function changesNothing(action: OwnerAction): boolean {
  const { kind, answer } = action;
  if (kind === 'validate') return !action.mayBeFirst || (answer !== undefined && 'denied' in answer);
  if (kind === 'get') return true;
  return typeof answer === 'string' && answer !== 'revoked';
}

/**
 * One owner with their keys, as the contract describes them. It repeats the rules on purpose and shares no code with
 * the service.
 * @returns the answer, and the state afterwards if it differs
 */
function handle(
  state: OwnerState,
  action: OwnerAction,
): [answer: OwnerAction['answer'], after?: OwnerState | undefined] {
  switch (action.kind) {
    case 'put':
      return shown({ ...state, permissions: action.permissions, plan: action.plan ?? state.plan });
    case 'get':
      return shown(state);
    case 'suspend':
      return shown({ ...state, status: 'suspended' });
    case 'reactivate':
      return shown({ ...state, status: 'active' });
    case 'validate':
      return validate(state, action);
    default:
      return state.status === 'active' ? changeKeys(state, action) : ['unauthenticated'];
  }
}

function shown(state: OwnerState): [AccountAnswer, OwnerState] {
  const { status, permissions, plan } = state;
  return [{ status, permissions, plan }, state];
}

/** Of an active owner. */
function changeKeys(
  state: OwnerState,
  action: OwnerAction & { kind: 'create' | 'rotate' | 'revoke' },
): [Made, OwnerState?] {
  const { activeKeys, revokedKeys, pairs } = state;
  const made = (invented: string, pair: readonly Omit<Pair, 'next'>[] = []): [Made, OwnerState] => {
    const keyId = typeof action.answer === 'object' ? action.answer.keyId : invented;
    const all = [...pairs, ...pair.map((old) => ({ ...old, next: keyId }))];
    const inOrder = all.sort((one, other) => (one.old < other.old ? -1 : 1));
    return [{ keyId }, { ...state, activeKeys: [...activeKeys, keyId].sort(), pairs: inOrder }];
  };
  if (action.kind === 'create') {
    if (isReadOnly(state)) return ['invalid_fields'];
    if (activeKeys.length - pairs.length >= MAX_ACTIVE_KEYS) return ['too_many_active_keys'];
    return made(`unknown ${activeKeys.filter((id) => id.startsWith('unknown ')).length}`);
  }
  const { keyId } = action;
  if (revokedKeys.includes(keyId)) return ['api_key_not_active'];
  if (!activeKeys.includes(keyId)) return ['not_found'];
  if (action.kind === 'revoke') return ['revoked', ended(state, keyId)];
  if (pairs.some(({ old, next }) => old === keyId || next === keyId)) return ['rotation_pending'];
  return made(`successor of ${keyId}`, [{ old: keyId, hasGrace: action.hasGrace }]);
}

/** Ends one key. The other key of its pair, if it has one, keeps working and is no longer paired. */
function ended(state: OwnerState, keyId: string): OwnerState {
  return {
    ...state,
    activeKeys: state.activeKeys.filter((id) => id !== keyId),
    revokedKeys: [...state.revokedKeys, keyId].sort(),
    pairs: state.pairs.filter(({ old, next }) => old !== keyId && next !== keyId),
  };
}

/** Of a read-and-write key. The first use of a successor ends the old key if there is no grace period. */
function validate(
  state: OwnerState,
  { keyId, permission }: OwnerAction & { kind: 'validate' },
): [Verdict, (OwnerState | undefined)?] {
  const { status, activeKeys, revokedKeys, pairs, plan } = state;
  if (revokedKeys.includes(keyId)) return [{ denied: 'REASON_REVOKED' }];
  if (!activeKeys.includes(keyId)) return [{ denied: 'REASON_INVALID_KEY' }];
  if (status === 'suspended') return [{ denied: 'REASON_OWNER_SUSPENDED' }];
  const usable = isReadOnly(state) ? /:read$/ : /:(read|write)$/;
  const permissions = state.permissions.filter((owned) => usable.test(owned));
  if (permission !== '' && !permissions.includes(permission)) return [{ denied: 'REASON_MISSING_PERMISSION' }];
  const replaced = pairs.find(({ next, hasGrace }) => next === keyId && !hasGrace);
  return [{ granted: { keyId, permissions, plan } }, replaced && ended(state, replaced.old)];
}

function isReadOnly({ plan }: OwnerState): boolean {
  return plan.startsWith('read-only');
}
