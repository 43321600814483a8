import { randomUUID } from 'node:crypto';
import type { ApiKey, KeyOrder } from '../../domain/keys/api-key.js';
import { LatchkeyError } from '../../domain/errors.js';
import { requireKeyFields } from '../../domain/keys/key-rules.js';
import { KeyString } from '../../domain/keys/key-string.js';
import { OwnerKeys } from '../../domain/keys/owner-keys.js';
import type { Client } from '../../domain/audit/audit-event.js';
import { incorrectPassword, type Confirmation, type Proof } from '../sessions/confirmation.js';
import type { Accounts } from '../ports.js';
import type { AccountTransaction } from '../account-transaction.js';
import { saveKeys } from './save-keys.js';

export interface CreateApiKeyCommand extends Omit<KeyOrder, 'id'>, Proof {
  readonly idempotencyKey: string | undefined;
}

export interface CreatedApiKey {
  readonly key: ApiKey;
  readonly fullKey: string;
  readonly now: Date;
}

/** A refusal of the domain, or a reason to confirm once more. */
type Obstacle = LatchkeyError | 'password-changed';

export class CreateApiKey {
  constructor(
    private readonly accounts: Accounts,
    private readonly confirmation: Confirmation,
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
    const confirmed = await this.confirmation.begin(command.ownerId, command, client);
    const created = await this.accounts.transaction<CreatedApiKey | Obstacle>(command.ownerId, async (transaction) => {
      const { account, now } = transaction;
      if (!account?.isActive) throw new LatchkeyError('unauthenticated', 'Sign in again');
      if (!this.confirmation.holds(confirmed, account, now)) return 'password-changed';
      return this.create(transaction, command, client);
    });
    await this.confirmation.renew(command.ownerId, confirmed);
    return created;
  }

  /** Answers an obstacle instead of throwing it, so that the expiries observed meanwhile are committed all the same. */
  private async create(
    transaction: AccountTransaction,
    command: CreateApiKeyCommand,
    client: Client,
  ): Promise<CreatedApiKey | Obstacle> {
    const { now } = transaction;
    const { ownerId, idempotencyKey } = command;
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
    await saveKeys(transaction, keys, { actorId: ownerId, client }, idempotencyKey);
    return key instanceof LatchkeyError ? key : { key, fullKey: keyString.reveal(), now };
  }
}
