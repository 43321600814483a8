import type { Account } from '../../domain/accounts/account.js';
import { nothingHere } from '../../domain/errors.js';
import { noSuchKey } from '../../domain/keys/owner-keys.js';
import type { Admission } from '../managed-account.js';

/** The persons who see and end the keys of all owners. For everybody else, there is nothing of it. */
export class Administrators {
  /** @param permission undefined: nobody */
  constructor(private readonly permission: string | undefined) {}

  /** The person's own account must have the permission itself: one that covers it does not count. */
  includes(person: Account): boolean {
    const isPerson = person.kind === 'person' && person.isActive;
    return isPerson && this.permission !== undefined && person.has(this.permission);
  }

  /** For a transaction that has locked the administrator and the owner of the keys, who may be suspended. */
  readonly admit: Admission = (account, person) => {
    if (!person || !this.includes(person)) throw nothingHere();
    if (!account) throw noSuchKey();
  };
}
