import { expect, test } from '@jest/globals';
import { PLATFORM, type Requester } from '../../../application/ports.js';
import { Gate } from './gate.js';

const stranger = (name: string): Requester => ({ name, isKnown: false });
const owner = (name: string): Requester => ({ name, isKnown: true });
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Work that ends when the test ends it. */
class Crowd {
  /** The labels of running work, in the order in which it started. */
  readonly inside: string[] = [];
  readonly entered: string[] = [];
  readonly refused: string[] = [];
  private readonly ends = new Map<string, () => void>();

  constructor(private readonly gate: Gate) {}

  async come(label: string, requester: Requester = PLATFORM, weight = 0): Promise<void> {
    const work = () =>
      new Promise<void>((resolve) => {
        this.inside.push(label);
        this.entered.push(label);
        this.ends.set(label, resolve);
      });
    this.gate
      .pass(work, requester, weight)
      .catch((error: { code: string }) => this.refused.push(`${label} ${error.code}`));
    await turn();
  }

  async leave(label = this.inside[0]!): Promise<void> {
    this.inside.splice(this.inside.indexOf(label), 1);
    this.ends.get(label)!();
    await turn();
  }

  async leaveAll(): Promise<void> {
    while (this.inside.length > 0) await this.leave();
  }
}

test('one place is kept for those who are known, however many strangers come', async () => {
  const crowd = new Crowd(new Gate({ atOnce: 2, queueLength: 4 }));
  for (const n of [1, 2, 3, 4]) await crowd.come(`s${n}`, stranger(`${n}`));
  expect(crowd.inside).toEqual(['s1']);
  await crowd.come('confirmation', owner('confirm:ada'));
  expect(crowd.inside).toEqual(['s1', 'confirmation']);
  await crowd.leave('confirmation');
  expect(crowd.inside).toEqual(['s1']);
});

test('where there is one place, one who is known is next, and those who are known and strangers take turns', async () => {
  const crowd = new Crowd(new Gate({ atOnce: 1, queueLength: 9 }));
  for (const n of [1, 2, 3]) await crowd.come(`s${n}`, stranger(`${n}`));
  for (const n of [1, 2, 3]) await crowd.come(`k${n}`);
  await crowd.leaveAll();
  expect(crowd.entered).toEqual(['s1', 'k1', 's2', 'k2', 's3', 'k3']);
});

test('a stranger from elsewhere takes the place in the queue of the network that has the most there', async () => {
  const crowd = new Crowd(new Gate({ atOnce: 1, queueLength: 3 }));
  for (const n of [1, 2, 3, 4, 5]) await crowd.come(`flood${n}`, stranger('203.0.113.66'));
  expect(crowd.refused).toEqual(['flood5 busy']);
  await crowd.come('ada', stranger('198.51.100.7'));
  expect(crowd.refused).toEqual(['flood5 busy', 'flood4 busy']);
  await crowd.leaveAll();
  expect(crowd.entered).toEqual(['flood1', 'flood2', 'ada', 'flood3']);
});

test('a crowd of the platform’s leaves their turns to the owners', async () => {
  const crowd = new Crowd(new Gate({ atOnce: 1, queueLength: 3 }));
  for (const n of [1, 2, 3, 4]) await crowd.come(`import${n}`);
  await crowd.come('ada', owner('confirm:ada'));
  await crowd.leaveAll();
  expect(crowd.entered).toEqual(['import1', 'import2', 'ada', 'import3']);
  expect(crowd.refused).toEqual(['import4 busy']);
});

test('what does not fit together waits, in its turn; what is too heavy for all goes in alone', async () => {
  const crowd = new Crowd(new Gate({ atOnce: 3, queueLength: 9, weight: 100 }));
  await crowd.come('60', PLATFORM, 60);
  await crowd.come('41', PLATFORM, 41);
  await crowd.come('10', PLATFORM, 10);
  expect(crowd.inside).toEqual(['60']);
  await crowd.leave('60');
  expect(crowd.inside).toEqual(['41', '10']);
  await crowd.come('101', PLATFORM, 101);
  await crowd.come('1', PLATFORM, 1);
  expect(crowd.inside).toEqual(['41', '10']);
  await crowd.leave('41');
  expect(crowd.inside).toEqual(['10']);
  await crowd.leave('10');
  expect(crowd.inside).toEqual(['101']);
  await crowd.leave('101');
  expect(crowd.inside).toEqual(['1']);
});

test('a stranger is turned away ahead of a line that is too long for this one, and nobody else', async () => {
  const gate = new Gate({ atOnce: 1, queueLength: 3 });
  const crowd = new Crowd(gate);
  const outcomeOf = (requester: Requester) => {
    try {
      return void gate.requireRoom(requester);
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  for (const n of [1, 2, 3]) await crowd.come(`flood${n}`, stranger('203.0.113.66'));
  expect(outcomeOf(stranger('203.0.113.66'))).toBeUndefined();
  await crowd.come('flood4', stranger('203.0.113.66'));
  expect(outcomeOf(stranger('203.0.113.66'))).toBe('busy');
  // One call of the flood would be dropped to make room.
  expect([outcomeOf(stranger('198.51.100.7')), outcomeOf(owner('ada'))]).toEqual([undefined, undefined]);
  await crowd.leave();
  expect(outcomeOf(stranger('203.0.113.66'))).toBeUndefined();
  for (const n of [5, 6]) await crowd.come(`s${n}`, stranger(`198.51.100.${n}`));
  expect(crowd.refused).toEqual(['flood4 busy']);
  // Now each name has one entry, so none is dropped.
  expect([outcomeOf(stranger('198.51.100.7')), outcomeOf(PLATFORM)]).toEqual(['busy', undefined]);
});
