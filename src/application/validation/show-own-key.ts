import type { Client } from '#domain/audit/audit-event.js';
import { LatchkeyError } from '#domain/errors.js';
import type { Question } from '#domain/keys/verdict.js';
import type { ApiKeys } from '../key-ports.js';
import type { ValidateKey, Validation } from './validate-key.js';

export interface OwnKey extends Validation {
  /** Only of a granted key. */
  readonly name?: string;
  readonly allowedNetworks?: readonly string[] | null;
}

/** Judged, charged and recorded like any request, except that a key which may only write is shown too. */
export class ShowOwnKey {
  constructor(
    private readonly validateKey: ValidateKey,
    private readonly keys: ApiKeys,
  ) {}

  /** @param clientAddress see Question */
  async execute(credential: string | undefined, client: Client, clientAddress: string | null): Promise<OwnKey> {
    const question: Question = { operation: 'read', permission: '', clientAddress, isAboutKey: true };
    const validation = await this.validateKey.execute({ credential, question, client });
    if (!validation.verdict.granted) return validation;
    // A separate read, so that other validations need not read the name.
    const key = await this.keys.find(validation.verdict.keyId);
    if (!key) throw new LatchkeyError('unavailable', 'The key no longer exists');
    const { name, allowedNetworks } = key.snapshot();
    return { ...validation, name, allowedNetworks };
  }
}
