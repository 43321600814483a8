import { expect, test } from '@jest/globals';
import { PLATFORM, type Requester } from '#application/ports.js';
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

test('one place stays free for known callers, even with many strangers', async () => {
  const crowd = new Crowd(new Gate({ atOnce: 2, queueLength: 4 }));
  for (const n of [1, 2, 3, 4]) await crowd.come(`s${n}`, stranger(`${n}`));
  expect(crowd.inside).toEqual(['s1']);
  await crowd.come('confirmation', owner('confirm:ada'));
  expect(crowd.inside).toEqual(['s1', 'confirmation']);
  await crowd.leave('confirmation');
  expect(crowd.inside).toEqual(['s1']);
});

test('with one place, known callers and strangers take turns, known callers first', async () => {
  const crowd = new Crowd(new Gate({ atOnce: 1, queueLength: 9 }));
  for (const n of [1, 2, 3]) await crowd.come(`s${n}`, stranger(`${n}`));
  for (const n of [1, 2, 3]) await crowd.come(`k${n}`);
  await crowd.leaveAll();
  expect(crowd.entered).toEqual(['s1', 'k1', 's2', 'k2', 's3', 'k3']);
});

test('a new stranger takes the place of the network with the most entries', async () => {
  const crowd = new Crowd(new Gate({ atOnce: 1, queueLength: 3 }));
  for (const n of [1, 2, 3, 4, 5]) await crowd.come(`flood${n}`, stranger('203.0.113.66'));
  expect(crowd.refused).toEqual(['flood5 busy']);
  await crowd.come('ada', stranger('198.51.100.7'));
  expect(crowd.refused).toEqual(['flood5 busy', 'flood4 busy']);
  await crowd.leaveAll();
  expect(crowd.entered).toEqual(['flood1', 'flood2', 'ada', 'flood3']);
});

test('many calls of the platform do not delay an owner', async () => {
  const crowd = new Crowd(new Gate({ atOnce: 1, queueLength: 3 }));
  for (const n of [1, 2, 3, 4]) await crowd.come(`import${n}`);
  await crowd.come('ada', owner('confirm:ada'));
  await crowd.leaveAll();
  expect(crowd.entered).toEqual(['import1', 'import2', 'ada', 'import3']);
  expect(crowd.refused).toEqual(['import4 busy']);
});

test('work that does not fit waits in its turn, and work above the limit runs alone', async () => {
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

test('only a stranger whose own entry would be dropped is refused in advance', async () => {
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
