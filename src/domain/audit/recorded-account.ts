import {
  type AccountTerms,
  type Change,
  isSame,
  NO_TERMS,
  RARE_TERMS,
  samePermissions,
} from '../accounts/account-change.js';
import type { AccountStatus, OwnerStanding } from '../accounts/account.js';
import { detailsOf, type HistoryEvent } from './event-details.js';

export type StoredAccount = OwnerStanding & AccountTerms & { readonly purged?: boolean };

/** The status of an account after an event of this type. A purged account stays deleted. */
const STATUS_AFTER: Readonly<Record<string, AccountStatus>> = {
  'account.created': 'active',
  'account.reactivated': 'active',
  'account.suspended': 'suspended',
  'account.deleted': 'deleted',
  'account.purged': 'deleted',
};

/** Reconstructs an account from its events, in the order of their ids, to compare it with the stored account. */
export class RecordedAccount {
  private given: { readonly permissions: readonly string[]; readonly by: HistoryEvent } | undefined;
  private left: { readonly status: AccountStatus; readonly by: HistoryEvent } | undefined;
  private between: string | undefined;
  private readonly terms = RARE_TERMS.map((field) => new RecordedTerm(field));

  constructor(private readonly stored: StoredAccount | undefined) {}

  add(event: HistoryEvent): void {
    const status = STATUS_AFTER[event.type];
    if (status) this.left = { status, by: event };
    for (const term of this.terms) term.add(event);
    const change = permissionsOf(event);
    if (!change) return;
    if (this.given && !samePermissions(this.given.permissions, change.before)) {
      this.between ??= `had other permissions at event ${event.id} than event ${this.given.by.id} gave`;
    }
    this.given = { permissions: change.after, by: event };
  }

  get isTakenAsFound(): boolean {
    return this.given === undefined;
  }

  differences(): string[] {
    const { stored, given, left, between } = this;
    if (!stored) return ['has events, but is not stored any more'];
    return [
      ...(between === undefined ? [] : [between]),
      ...(given ? permissionProblems(stored.permissions, given.permissions, given.by) : []),
      ...this.terms.flatMap((term) => term.differences(stored)),
      ...(left && left.status !== stored.status
        ? [`is ${stored.status}; event ${left.by.id} left it ${left.status}`]
        : []),
      ...(stored.purged && left && left.by.type !== 'account.purged'
        ? [`is hidden, as if it were purged; event ${left.by.id} left it ${left.status}`]
        : []),
    ];
  }
}

function permissionProblems(stored: readonly string[], given: readonly string[], by: HistoryEvent): string[] {
  const has = stored.filter((permission) => !given.includes(permission));
  const lacks = given.filter((permission) => !stored.includes(permission));
  return [
    ...(has.length > 0 ? [`has ${has.join(' ')}, which no event gave`] : []),
    ...(lacks.length > 0 ? [`lacks ${lacks.join(' ')}, which event ${by.id} gave`] : []),
  ];
}

/** After these, an account has no such terms but those that the event names. A release before 0.3 names none. */
const GIVES_NONE: ReadonlySet<string> = new Set(['account.created', 'account.purged']);

class RecordedTerm {
  private given: { readonly value: unknown; readonly by: HistoryEvent } | undefined;
  private between: string | undefined;

  constructor(private readonly field: (typeof RARE_TERMS)[number]) {}

  add(event: HistoryEvent): void {
    const change = detailsOf(event)[this.field] as Partial<Change<unknown>> | null | undefined;
    if (change) {
      if (this.given && !isSame(this.given.value, change.before)) {
        this.between ??= `had other ${this.field} at event ${event.id} than event ${this.given.by.id} left`;
      }
      this.given = { value: change.after, by: event };
    } else if (GIVES_NONE.has(event.type)) {
      this.given = { value: NO_TERMS[this.field], by: event };
    }
  }

  differences(stored: AccountTerms): string[] {
    const { field, given, between } = this;
    const isOther = given && !isSame(stored[field], given.value);
    return [
      ...(between === undefined ? [] : [between]),
      ...(isOther ? [`has the ${field} ${JSON.stringify(stored[field])}; event ${given.by.id} left others`] : []),
    ];
  }
}

function permissionsOf(event: HistoryEvent): Change<readonly string[]> | undefined {
  const { before, after } = (detailsOf(event)['permissions'] ?? {}) as Partial<Change<readonly string[]>>;
  return Array.isArray(before) && Array.isArray(after) ? { before, after } : undefined;
}
