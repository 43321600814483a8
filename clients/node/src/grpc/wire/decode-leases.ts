import type { Lease__Output as Lease } from '../../generated/latchkey/v1/Lease.js';
import type { LeaseRecall__Output as LeaseRecall } from '../../generated/latchkey/v1/LeaseRecall.js';
import type { MessageReader } from './message-reader.js';

export function readLease(reader: MessageReader, end: number): Lease {
  const lease: Lease = { id: '0', lengthMs: 0, uses: 0, hasOwnPermissions: false, allowedNetworks: [] };
  while (reader.at < end) {
    const tag = reader.uint32();
    if (tag === 0x08) lease.id = reader.uint64();
    else if (tag === 0x10) lease.lengthMs = reader.uint32();
    else if (tag === 0x18) lease.uses = reader.uint32();
    else if (tag === 0x20) lease.hasOwnPermissions = reader.uint64() !== '0';
    else if (tag === 0x2a) lease.allowedNetworks.push(reader.text());
    else reader.skip(tag);
  }
  reader.arriveAt(end);
  return lease;
}

export function readRecall(reader: MessageReader, end: number): LeaseRecall {
  const recall: LeaseRecall = { ids: [] };
  while (reader.at < end) {
    const tag = reader.uint32();
    if (tag === 0x0a) {
      const endOfIds = reader.end();
      while (reader.at < endOfIds) recall.ids.push(reader.uint64());
      reader.arriveAt(endOfIds);
    } else if (tag === 0x08) recall.ids.push(reader.uint64());
    else reader.skip(tag);
  }
  reader.arriveAt(end);
  return recall;
}
