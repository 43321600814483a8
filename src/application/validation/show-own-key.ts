import type { Client } from '../../domain/audit/audit-event.js';
import { LatchkeyError } from '../../domain/errors.js';
import type { Question } from '../../domain/keys/verdict.js';
import type { ApiKeys } from '../ports.js';
import type { ValidateKey, Validation } from './validate-key.js';

const READ: Question = { operation: 'read', permission: '' };

export interface OwnKey extends Validation {
  /** Only of a granted key. */
  readonly name?: string;
}

/** Shows the holder of a key what it may do. The key is judged, charged and recorded like for any request to read. */
export class ShowOwnKey {
  constructor(
    private readonly validateKey: ValidateKey,
    private readonly keys: ApiKeys,
  ) {}

  async execute(credential: string | undefined, client: Client): Promise<OwnKey> {
    const validation = await this.validateKey.execute({ credential, question: READ, client });
    if (!validation.verdict.granted) return validation;
    // A separate read, so that other validations need not read the name.
    const key = await this.keys.find(validation.verdict.keyId);
    if (!key) throw new LatchkeyError('unavailable', 'The key no longer exists');
    return { ...validation, name: key.snapshot().name };
  }
}
