import type { ShowOwnKey } from '../../../../application/validation/show-own-key.js';
import type { Log } from '../../../telemetry/log.js';
import { readBearer } from '../../shared/bearer.js';
import type { KeyAnswer, KeyAnswers } from '../../shared/key-answers.js';
import { clientOf, headerValues, type LatchkeyRequest } from '../pipeline/request.js';
import { OwnKeyView } from './own-key.view.js';

/** Answers a client that asks with its key what the key may do, in the words of every service that takes keys. */
export class OwnKey {
  constructor(
    private readonly showOwnKey: ShowOwnKey,
    private readonly answers: KeyAnswers,
    private readonly log: Log,
  ) {}

  async answer(request: LatchkeyRequest): Promise<KeyAnswer> {
    const credential = readBearer(headerValues(request, 'authorization'));
    try {
      const { name, ...validation } = await this.showOwnKey.execute(credential, clientOf(request));
      const { verdict, rate } = validation;
      const answer = this.answers.toClient(validation);
      if (!verdict.granted) return answer;
      const body = JSON.stringify(new OwnKeyView(verdict, name!, rate!));
      return { ...answer, headers: { ...answer.headers, 'Content-Type': 'application/json' }, body };
    } catch (error) {
      this.log.fault(error, request);
      return this.answers.unavailable;
    }
  }
}
