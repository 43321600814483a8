type OwnerStatus = 'active' | 'suspended';

/** The part of AccountService's answer that the model knows. */
export interface AccountAnswer {
  readonly status: OwnerStatus;
  readonly permissions: readonly string[];
  /** An attribute. The limits of plans that begin with `read-only` allow keys no more; '' before the first one. */
  readonly plan: string;
}

export type Verdict =
  | { readonly granted: { readonly keyId: string; readonly permissions: readonly string[]; readonly plan: string } }
  | { readonly denied: string };

/** Without an answer, it is unknown whether the change was made. */
export type OwnerAction =
  /** Without a plan, limits and attributes stay. */
  | { kind: 'put'; permissions: readonly string[]; plan?: string | undefined; answer?: AccountAnswer | undefined }
  | { kind: 'get' | 'suspend' | 'reactivate'; answer?: AccountAnswer | undefined }
  | { kind: 'create'; answer?: CreationAnswer | undefined }
  | { kind: 'rotate'; keyId: string; hasGrace: boolean; answer?: RotationAnswer | undefined }
  | { kind: 'revoke'; keyId: string; answer?: 'revoked' | 'not-active' | 'owner-not-active' | undefined }
  /** `mayBeFirst`: the key is a successor, and this may be its first use, which may end the old key. */
  | { kind: 'validate'; keyId: string; mayBeFirst?: true; permission: string; answer?: Verdict | undefined };

type CreationAnswer = { readonly keyId: string } | 'full' | 'above-plan' | 'owner-not-active' | 'too-many-attempts';
type RotationAnswer = { readonly keyId: string } | 'pending' | 'not-active' | 'owner-not-active' | 'too-many-attempts';

/** Two active keys: the old key and its successor. */
interface Pair {
  readonly old: string;
  /** An invented id if the rotation was not answered. */
  readonly next: string;
  /** Whether the old key has a grace period, which is longer than any history. */
  readonly hasGrace: boolean;
}

/** Plain data; equal states have equal JSON. */
export interface OwnerState extends AccountAnswer {
  /** Sorted ids; those of revoked keys are sorted, too. */
  readonly activeKeys: readonly string[];
  readonly revokedKeys: readonly string[];
  /** Active keys whose creation was not answered. Their ids are unknown, but they count. */
  readonly lostKeys: number;
  /** In the order of the old keys. */
  readonly pairs: readonly Pair[];
}

const MAX_ACTIVE_KEYS = 5;

const NO_KEYS = { activeKeys: [], revokedKeys: [], lostKeys: 0, pairs: [] };
export const INITIAL: OwnerState = { status: 'active', permissions: [], plan: '', ...NO_KEYS };

/**
 * One owner with their keys, as the contract describes them. It repeats the rules on purpose and shares no code with
 * the service.
 * @returns the state after the action; undefined when `state` cannot give this answer
 */
export function step(state: OwnerState, action: OwnerAction): OwnerState | undefined {
  switch (action.kind) {
    case 'put':
      return shows(action.answer, { ...state, permissions: action.permissions, plan: action.plan ?? state.plan });
    case 'get':
      return shows(action.answer, state);
    case 'suspend':
      return shows(action.answer, { ...state, status: 'suspended' });
    case 'reactivate':
      return shows(action.answer, { ...state, status: 'active' });
    case 'create':
      return create(state, action.answer);
    case 'rotate':
      return rotate(state, action);
    case 'revoke':
      return revoke(state, action.keyId, action.answer);
    case 'validate':
      return validate(state, action);
  }
}

/** Whether the action, with its answer, leaves every state unchanged. */
export function changesNothing(action: OwnerAction): boolean {
  const { kind, answer } = action;
  if (kind === 'validate') return !action.mayBeFirst || (answer !== undefined && 'denied' in answer);
  if (kind === 'get') return true;
  return typeof answer === 'string' && answer !== 'revoked';
}

/** The answer, if there is one, must show the account after the change. */
function shows(answer: AccountAnswer | undefined, state: OwnerState): OwnerState | undefined {
  const facts = ({ status, permissions, plan }: AccountAnswer) => JSON.stringify([status, permissions, plan]);
  return answer === undefined || facts(answer) === facts(state) ? state : undefined;
}

function create(state: OwnerState, answer: (OwnerAction & { kind: 'create' })['answer']): OwnerState | undefined {
  const isActive = state.status === 'active';
  const isFull = state.activeKeys.length + state.lostKeys - state.pairs.length >= MAX_ACTIVE_KEYS;
  // The delay of password guesses is not part of this state.
  if (answer === 'too-many-attempts') return state;
  if (answer === 'owner-not-active') return isActive ? undefined : state;
  if (answer === 'full') return isActive && isFull ? state : undefined;
  if (answer === 'above-plan') return isActive && isReadOnly(state) ? state : undefined;
  if (!isActive || isFull || isReadOnly(state)) return undefined;
  if (answer === undefined) return { ...state, lostKeys: state.lostKeys + 1 };
  return { ...state, activeKeys: [...state.activeKeys, answer.keyId].sort() };
}

function revoke(
  state: OwnerState,
  keyId: string,
  answer: (OwnerAction & { kind: 'revoke' })['answer'],
): OwnerState | undefined {
  const isActive = state.status === 'active';
  if (answer === 'owner-not-active') return isActive ? undefined : state;
  if (answer === 'not-active') return isActive && state.revokedKeys.includes(keyId) ? state : undefined;
  if (!isActive || !state.activeKeys.includes(keyId)) return undefined;
  return ended(state, keyId);
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

function rotate(
  state: OwnerState,
  { keyId, hasGrace, answer }: OwnerAction & { kind: 'rotate' },
): OwnerState | undefined {
  const isActive = state.status === 'active';
  const isPaired = state.pairs.some(({ old, next }) => old === keyId || next === keyId);
  if (answer === 'too-many-attempts') return state;
  if (answer === 'owner-not-active') return isActive ? undefined : state;
  if (answer === 'not-active') return isActive && state.revokedKeys.includes(keyId) ? state : undefined;
  if (answer === 'pending') return isActive && isPaired ? state : undefined;
  if (!isActive || isPaired || !state.activeKeys.includes(keyId)) return undefined;
  const next = answer?.keyId ?? `unknown successor of ${keyId}`;
  const pairs = [...state.pairs, { old: keyId, next, hasGrace }];
  return {
    ...state,
    activeKeys: [...state.activeKeys, next].sort(),
    pairs: pairs.sort((one, other) => (one.old < other.old ? -1 : 1)),
  };
}

/** The first use of a successor ends the old key if there is no grace period. */
function validate(state: OwnerState, action: OwnerAction & { kind: 'validate' }): OwnerState | undefined {
  const { keyId, answer } = action;
  const judged = verdict(state, action);
  // An unanswered validation may still have been the first use.
  if (answer !== undefined && JSON.stringify(answer) !== JSON.stringify(judged)) return undefined;
  const replaced = 'granted' in judged ? state.pairs.find(({ next }) => next === keyId) : undefined;
  return replaced && !replaced.hasGrace ? ended(state, replaced.old) : state;
}

/** The verdict on a read-and-write key, in the order of judgement. */
function verdict(state: OwnerState, { keyId, permission }: OwnerAction & { kind: 'validate' }): Verdict {
  if (state.revokedKeys.includes(keyId)) return { denied: 'REASON_REVOKED' };
  if (!state.activeKeys.includes(keyId)) return { denied: 'REASON_INVALID_KEY' };
  if (state.status === 'suspended') return { denied: 'REASON_OWNER_SUSPENDED' };
  const usable = isReadOnly(state) ? /:read$/ : /:(read|write)$/;
  const permissions = state.permissions.filter((owned) => usable.test(owned));
  if (permission !== '' && !permissions.includes(permission)) return { denied: 'REASON_MISSING_PERMISSION' };
  return { granted: { keyId, permissions, plan: state.plan } };
}

function isReadOnly({ plan }: OwnerState): boolean {
  return plan.startsWith('read-only');
}
