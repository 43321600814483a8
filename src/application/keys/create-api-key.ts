import { randomUUID } from 'node:crypto';
import type { Client } from '../../domain/audit/audit-event.js';
import type { ApiKey } from '../../domain/keys/api-key.js';
import { LatchkeyError } from '../../domain/errors.js';
import { requireKeyFields } from '../../domain/keys/key-rules.js';
import type { KeyOrder } from '../../domain/keys/key-state.js';
import { KeyString } from '../../domain/keys/key-string.js';
import { OwnerKeys } from '../../domain/keys/owner-keys.js';
import type { Proof } from '../sessions/confirmation.js';
import type { ConfirmedChange } from './confirmed-change.js';
import { requireFirstTime } from './idempotency.js';
import { saveKeys } from './save-keys.js';

export interface CreateApiKeyCommand extends Omit<KeyOrder, 'id'>, Proof {
  readonly idempotencyKey: string | undefined;
}

export interface CreatedApiKey {
  readonly key: ApiKey;
  readonly fullKey: string;
  readonly now: Date;
}

export class CreateApiKey {
  constructor(
    private readonly confirmed: ConfirmedChange,
    private readonly keyPrefix: string,
  ) {}

  async execute(command: CreateApiKeyCommand, client: Client): Promise<CreatedApiKey> {
    requireKeyFields(command);
    const { ownerId, idempotencyKey } = command;
    return this.confirmed.execute<CreatedApiKey>(ownerId, command, client, async (transaction) => {
      await requireFirstTime(transaction, idempotencyKey);
      const { now } = transaction;
      const keys = new OwnerKeys(await transaction.openKeys());
      const keyString = KeyString.generate(this.keyPrefix);
      const key = keys.issue({ ...command, id: randomUUID() }, keyString, now);
      await saveKeys(transaction, keys, { actorId: ownerId, client }, { idempotencyKey });
      return key instanceof LatchkeyError ? key : { key, fullKey: keyString.reveal(), now };
    });
  }
}
