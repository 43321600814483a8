import { randomUUID } from 'node:crypto';
import type { Account } from '../../domain/accounts/account.js';
import type { ApiKey, KeyOrder } from '../../domain/keys/api-key.js';
import { LatchkeyError } from '../../domain/errors.js';
import { requireKeyFields } from '../../domain/keys/key-rules.js';
import { KeyString } from '../../domain/keys/key-string.js';
import { OwnerKeys } from '../../domain/keys/owner-keys.js';
import { CONFIRMATION } from '../../domain/accounts/password-throttle.js';
import type { Client } from '../../domain/audit/audit-event.js';
import type { PasswordCheck } from '../sessions/password-check.js';
import type { Accounts } from '../ports.js';
import type { AccountTransaction } from '../account-transaction.js';
import { saveKeys } from './save-keys.js';

export interface CreateApiKeyCommand extends Omit<KeyOrder, 'id'> {
  readonly password: string;
  readonly idempotencyKey: string | undefined;
}

export interface CreatedApiKey {
  readonly key: ApiKey;
  readonly fullKey: string;
  readonly now: Date;
}

/** A refusal of the domain, or a reason to check the password once more. */
type Obstacle = LatchkeyError | 'password-changed';

export class CreateApiKey {
  constructor(
    private readonly accounts: Accounts,
    private readonly check: PasswordCheck,
    private readonly keyPrefix: string,
  ) {}

  /** The password is checked outside the transaction, and the account once more inside it. */
  async execute(command: CreateApiKeyCommand, client: Client): Promise<CreatedApiKey> {
    requireKeyFields(command);
    let created = await this.attempt(command, client);
    // A sign-in may have replaced the hash of the same password in between: check once more, against what is stored now.
    if (created === 'password-changed') created = await this.attempt(command, client);
    if (created === 'password-changed') throw incorrectPassword();
    if (created instanceof LatchkeyError) throw created;
    return created;
  }

  private async attempt(command: CreateApiKeyCommand, client: Client): Promise<CreatedApiKey | Obstacle> {
    const confirmed = await this.confirm(command, client);
    return this.accounts.transaction(command.ownerId, (transaction) =>
      this.create(transaction, command, confirmed, client),
    );
  }

  private async confirm({ ownerId, password }: CreateApiKeyCommand, client: Client): Promise<Account> {
    const account = await this.accounts.find(ownerId);
    const subjects = [{ name: `confirm:${ownerId}`, policy: CONFIRMATION }];
    const { matches } = await this.check.verify(account, password, subjects, client);
    if (!matches || !account) throw incorrectPassword();
    return account;
  }

  /** Answers an obstacle instead of throwing it, so that the expiries observed meanwhile are committed all the same. */
  private async create(
    transaction: AccountTransaction,
    command: CreateApiKeyCommand,
    confirmed: Account,
    client: Client,
  ): Promise<CreatedApiKey | Obstacle> {
    const { account, now } = transaction;
    if (!account?.isActive) throw new LatchkeyError('unauthenticated', 'Sign in again');
    if (account.passwordHash !== confirmed.passwordHash) return 'password-changed';
    const { idempotencyKey } = command;
    const earlier = idempotencyKey && (await transaction.findKeyByIdempotencyKey(idempotencyKey));
    if (earlier) {
      throw new LatchkeyError(
        'idempotency_key_reused',
        'An API key was already created under this Idempotency-Key; its secret is not shown again',
        { apiKeyId: earlier },
      );
    }
    const keys = new OwnerKeys(await transaction.openKeys());
    const keyString = KeyString.generate(this.keyPrefix);
    const key = keys.issue({ ...command, id: randomUUID() }, keyString, now);
    await saveKeys(transaction, keys, { actorId: account.id, client }, idempotencyKey);
    return key instanceof LatchkeyError ? key : { key, fullKey: keyString.reveal(), now };
  }
}

function incorrectPassword(): LatchkeyError {
  return new LatchkeyError('incorrect_password', 'Incorrect password');
}
