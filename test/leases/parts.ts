import { HeldLeases } from '../../clients/node/src/leases/held-leases.js';
import { readAtUse, readBeforeCall } from '../../clients/node/src/leases/clock-reading.js';
import { type KeyRights, refusalBy } from '../../src/domain/keys/key-rights.js';
import type { Question } from '../../src/domain/keys/verdict.js';
import { ChangeWait } from '../../src/domain/leases/change-wait.js';
import { Giving, lengthToGive } from '../../src/domain/leases/giving.js';
import { deletableFrom, isDeletable } from '../../src/domain/leases/registration.js';
import { TimelineWatch } from '../../src/domain/leases/timeline-watch.js';
import { chargeAhead } from '../../src/domain/leases/uses-ahead.js';
import type { ModelGrant } from './checker.js';

export class ModelGiving extends Giving<object> {}
export class ModelHeld extends HeldLeases<KeyRights, Question, ModelGrant> {}

/** The machines as they are, and how the processes of the model use them. */
export const CORRECT = {
  Giving: ModelGiving,
  Held: ModelHeld,
  ChangeWait,
  TimelineWatch,
  lengthToGive,
  deletableFrom,
  isDeletable,
  chargeAhead,
  readAtUse,
  readBeforeCall,
  allows: (rights: KeyRights, question: Question) => refusalBy(rights, question) === undefined,
  /** A step of a process that is done wrongly. */
  wrong: '',
  /** Changes that insert no row. What a reactivation opens, no earlier lease could have closed. */
  waitsNotFor: ['reactivate'] as readonly string[],
};
export type Parts = typeof CORRECT;
