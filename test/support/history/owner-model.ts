import type { Model } from './linearizability.js';

type OwnerStatus = 'active' | 'suspended';

/** The part of AccountService's answer that the model knows. */
export interface AccountAnswer {
  readonly status: OwnerStatus;
  readonly permissions: readonly string[];
}

export type Verdict =
  | { readonly granted: { readonly keyId: string; readonly permissions: readonly string[] } }
  | { readonly denied: string };

/** Without an answer it is unknown whether the change was made. */
export type OwnerAction =
  | { kind: 'put'; permissions: readonly string[]; answer?: AccountAnswer | undefined }
  | { kind: 'get' | 'suspend' | 'reactivate'; answer?: AccountAnswer | undefined }
  | { kind: 'create'; answer?: { keyId: string } | 'full' | 'owner-not-active' | 'too-many-attempts' | undefined }
  | { kind: 'revoke'; keyId: string; answer?: 'revoked' | 'not-active' | 'owner-not-active' | undefined }
  | { kind: 'validate'; keyId: string; permission: string; answer?: Verdict | undefined };

export interface OwnerState extends AccountAnswer {
  /** Sorted ids; those of revoked keys are sorted, too. */
  readonly activeKeys: readonly string[];
  readonly revokedKeys: readonly string[];
  /** Active keys whose creation was not answered: their ids are unknown, but they count. */
  readonly lostKeys: number;
}

const MAX_ACTIVE_KEYS = 5;

/** One owner with their keys, by the contract. On purpose it repeats the rules and shares no code with the service. */
export const OWNER: Model<OwnerState, OwnerAction> = {
  initial: { status: 'active', permissions: [], activeKeys: [], revokedKeys: [], lostKeys: 0 },
  step: (state, action) => {
    switch (action.kind) {
      case 'put':
        return told(action.answer, { ...state, permissions: action.permissions });
      case 'get':
        return told(action.answer, state);
      case 'suspend':
        return told(action.answer, { ...state, status: 'suspended' });
      case 'reactivate':
        return told(action.answer, { ...state, status: 'active' });
      case 'create':
        return create(state, action.answer);
      case 'revoke':
        return revoke(state, action.keyId, action.answer);
      case 'validate':
        return JSON.stringify(action.answer) === JSON.stringify(verdict(state, action)) ? state : undefined;
    }
  },
  changesNothing: ({ kind, answer }) =>
    kind === 'validate' ||
    kind === 'get' ||
    (kind === 'create' && typeof answer === 'string') ||
    (kind === 'revoke' && answer !== undefined && answer !== 'revoked'),
};

/** The answer, if there is one, must show the account as the change left it. */
function told(answer: AccountAnswer | undefined, state: OwnerState): OwnerState | undefined {
  const isTrue = answer?.status === state.status && answer.permissions.join(' ') === state.permissions.join(' ');
  return answer === undefined || isTrue ? state : undefined;
}

function create(state: OwnerState, answer: (OwnerAction & { kind: 'create' })['answer']): OwnerState | undefined {
  const isActive = state.status === 'active';
  const isFull = state.activeKeys.length + state.lostKeys >= MAX_ACTIVE_KEYS;
  // The delay of password guesses is no part of this state.
  if (answer === 'too-many-attempts') return state;
  if (answer === 'owner-not-active') return isActive ? undefined : state;
  if (answer === 'full') return isActive && isFull ? state : undefined;
  if (!isActive || isFull) return undefined;
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
  const activeKeys = state.activeKeys.filter((id) => id !== keyId);
  return { ...state, activeKeys, revokedKeys: [...state.revokedKeys, keyId].sort() };
}

/** On a read-and-write key, in the order of judgement. */
function verdict(state: OwnerState, { keyId, permission }: OwnerAction & { kind: 'validate' }): Verdict {
  if (state.revokedKeys.includes(keyId)) return { denied: 'REASON_REVOKED' };
  if (!state.activeKeys.includes(keyId)) return { denied: 'REASON_INVALID_KEY' };
  if (state.status === 'suspended') return { denied: 'REASON_OWNER_SUSPENDED' };
  const permissions = state.permissions.filter((owned) => /:(read|write)$/.test(owned));
  if (permission !== '' && !permissions.includes(permission)) return { denied: 'REASON_MISSING_PERMISSION' };
  return { granted: { keyId, permissions } };
}
