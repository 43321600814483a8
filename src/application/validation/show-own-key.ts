import type { Client } from '../../domain/audit/audit-event.js';
import { LatchkeyError } from '../../domain/errors.js';
import type { Question } from '../../domain/keys/verdict.js';
import type { ApiKeys } from '../ports.js';
import type { ValidateKey, Validation } from './validate-key.js';

/** Whether it may read anything at all. */
const IS_GOOD: Question = { operation: 'read', permission: '' };

export interface OwnKey extends Validation {
  /** Of a key that is granted. */
  readonly name?: string;
}

/** Tells who holds a key what it may do. It is judged, charged and recorded like any request to read. */
export class ShowOwnKey {
  constructor(
    private readonly validateKey: ValidateKey,
    private readonly keys: ApiKeys,
  ) {}

  async execute(credential: string | undefined, client: Client): Promise<OwnKey> {
    const validation = await this.validateKey.execute({ credential, question: IS_GOOD, client });
    if (!validation.verdict.granted) return validation;
    // Read by itself, so that no other validation reads a name.
    const key = await this.keys.find(validation.verdict.keyId);
    if (!key) throw new LatchkeyError('unavailable', 'The key is gone');
    return { ...validation, name: key.snapshot().name };
  }
}
