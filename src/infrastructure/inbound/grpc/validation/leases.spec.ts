import { Duplex } from 'node:stream';
import { expect, test } from '@jest/globals';
import { keptLog } from '../../../../../test/support/reading/kept-log.js';
import { LeaseGiver } from '../../../../application/leases/lease-giver.js';
import type { RecordLeaseUses } from '../../../../application/leases/record-lease-uses.js';
import type { Validation, ValidateKey } from '../../../../application/validation/validate-key.js';
import type { ChangeMessages } from '../../../../application/ports.js';
import { CHANNEL_OPTIONS } from '../channel-options.js';
import { toRecalls } from './lease-messages.js';
import { VALIDATION_SERVICE, type WireAnswer, type WireQuestion } from './validation-messages.js';
import { ValidationService } from './validation-service.js';

const LIMIT = { perSecond: 20, burst: 100 };
const RIGHTS = { access: 'read-only', permissions: ['systems:read'], hasSubset: false, allowedNetworks: null } as const;
const GRANTED: Validation = {
  verdict: {
    ...{ granted: true, keyId: 'k', ownerId: 'Ann', access: 'read-only', permissions: ['systems:read'] },
    ...{ attributes: [], createdAt: new Date(0), expiresAt: new Date(1) },
  },
  lease: { ownerId: 'Ann', lengthMs: 3_600_000, uses: 5, rights: RIGHTS },
};
const ASKED = {
  credential: 'apiKey',
  apiKey: 'a key',
  operation: 1,
  permission: '',
  clientIp: '',
  userAgent: '',
} as const;
const WISH = { uses: 5, understands: [1, 2, 99] };

/** The server's side of a stream. The client reads only while `isRead`. */
class Call extends Duplex {
  readonly cancelled = false;
  readonly sent: WireAnswer[] = [];
  isRead = true;
  private next: (() => void) | undefined;

  constructor() {
    super({ objectMode: true, highWaterMark: 1 });
  }

  sendMetadata(): void {}
  override _read(): void {}
  override _write(message: WireAnswer, _encoding: string, done: () => void): void {
    this.sent.push(message);
    if (this.isRead) done();
    else this.next = done;
  }

  ask(question: Partial<WireQuestion>): void {
    this.push({ ...ASKED, requestId: '', readAt: performance.now(), ...question });
  }

  resumeReading(): void {
    this.isRead = true;
    this.next?.();
  }
}

/** A service whose validations a test ends. */
function serve() {
  const validations: { wish: unknown; end: (validation?: Validation) => void }[] = [];
  const acknowledged: string[] = [];
  const reported: unknown[] = [];
  let notify: Parameters<ChangeMessages['onChange']>[0] = () => undefined;
  const messages: ChangeMessages = {
    onChange: (listener) => void (notify = listener),
    acknowledge: (_giver, id) => void acknowledged.push(id),
  };
  const execute: ValidateKey['execute'] = ({ leaseWish }) =>
    new Promise((resolve) => validations.push({ wish: leaseWish, end: (with_ = GRANTED) => resolve(with_) }));
  const service = new ValidationService({
    validateKey: { execute } as ValidateKey,
    recordLeaseUses: { execute: (...uses: unknown[]) => reported.push(uses) } as unknown as RecordLeaseUses,
    leases: new LeaseGiver({ own: () => 'r1' }, messages),
    rateLimit: LIMIT,
    log: keptLog().log,
  });
  const connect = () => {
    const call = new Call();
    service.methods.ValidateKeys.converse(
      call as never,
      (work) => work(),
      'billing',
      () => undefined,
    );
    return call;
  };
  return {
    connect,
    validations,
    acknowledged,
    reported,
    notify: (ownerId = 'Ann') => notify({ notificationId: 'n1', ownerId }),
  };
}
const settled = () => new Promise(setImmediate);
const shown = ({ sent }: Call) => sent.map(({ requestId, lease, recall }) => recall?.ids ?? [requestId, lease?.id]);

test('a recall follows the lease on the stream, however many answers wait there', async () => {
  const { connect, validations, notify, acknowledged } = serve();
  const call = connect();
  call.isRead = false;
  for (const requestId of ['a', 'b', 'c']) call.ask({ requestId, leaseWish: WISH });
  await settled();
  for (const each of validations) each.end();
  await settled();
  notify();
  call.resumeReading();
  await settled();
  expect(shown(call)).toEqual([
    ['a', 1],
    ['b', 2],
    ['c', 3],
    [1, 2, 3],
  ]);
  call.ask({ leaseReport: { givenBack: [1, 2, { toNumber: () => 3 }], uses: [] } });
  await settled();
  expect(acknowledged).toEqual(['n1']);
});

test('a request whose key was being read when its owner was recalled gets no lease', async () => {
  const { connect, validations, notify } = serve();
  const call = connect();
  call.ask({ requestId: 'a', leaseWish: WISH });
  await settled();
  notify();
  call.ask({ requestId: 'b', leaseWish: WISH });
  await settled();
  for (const each of validations) each.end();
  await settled();
  expect(shown(call)).toEqual([
    ['a', undefined],
    ['b', 1],
  ]);
});

test('the wish names the restrictions that this release knows', async () => {
  const { connect, validations } = serve();
  const call = connect();
  call.ask({ leaseWish: WISH });
  call.ask({});
  await settled();
  expect(validations.map(({ wish }) => wish)).toEqual([
    expect.objectContaining({ uses: 5, understands: new Set(['permissions', 'networks']) }),
    undefined,
  ]);
});

test('10,000 leases are recalled by one message on their stream', async () => {
  const { connect, validations, notify } = serve();
  const call = connect();
  for (let n = 0; n < 10; n += 1) {
    for (let m = 0; m < 1000; m += 1) call.ask({ leaseWish: WISH });
    await settled();
    for (const each of validations.splice(0)) each.end();
    await settled();
  }
  notify();
  await settled();
  const recalls = call.sent.flatMap(({ recall }) => (recall ? [recall.ids.length] : []));
  expect(recalls).toEqual([10_000]);
});

test('what one message recalls can be given back in one message, also after years of leases', () => {
  const ids = Array.from({ length: 20_000 }, (_, n) => 2 ** 42 - 1 - n);
  const { requestSerialize } = VALIDATION_SERVICE.ValidateKeys!;
  const sizes = [...toRecalls(ids)].map(
    ({ recall }) => requestSerialize({ leaseReport: { givenBack: recall!.ids } }).length,
  );
  expect(Math.max(...sizes)).toBeLessThan(Number(CHANNEL_OPTIONS['grpc.max_receive_message_length']));
});

test('a report has no answer, and its uses are recorded for the service that sent it', async () => {
  const { connect, reported } = serve();
  const call = connect();
  const uses = [
    { keyId: 'k', clientIp: '::ffff:192.0.2.1', count: { toNumber: () => 3 }, lastMsAgo: 9 },
    { keyId: 'k', clientIp: 'nowhere', count: 1, lastMsAgo: 0 },
  ];
  call.ask({ leaseReport: { givenBack: [], uses } });
  await settled();
  expect(call.sent).toEqual([]);
  expect(reported).toEqual([
    [
      [
        { keyId: 'k', clientIp: '192.0.2.1', count: 3, lastMsAgo: 9 },
        { keyId: 'k', clientIp: null, count: 1, lastMsAgo: 0 },
      ],
      'billing',
    ],
  ]);
});

test('a stream that has ended gets neither leases nor recalls', async () => {
  const { connect, validations, notify, acknowledged } = serve();
  const call = connect();
  call.ask({ requestId: 'a', leaseWish: WISH });
  await settled();
  call.destroy();
  validations[0]!.end();
  await settled();
  notify();
  expect([call.sent, acknowledged]).toEqual([[], ['n1']]);
});
