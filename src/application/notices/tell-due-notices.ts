import { channelsOf, type NoticeReceivers } from '../../domain/notices/channel.js';
import type { NoticeType } from '../../domain/notices/key-notice.js';
import type { DueNotices } from '../ports.js';

const BATCH = 500;

/** Tells what is due because time has passed. What nobody would be told of stays untold, for those who are named later. */
export class TellDueNotices {
  constructor(
    private readonly notices: DueNotices,
    private readonly noticeDays: readonly number[],
    private readonly receivers: NoticeReceivers,
  ) {}

  /** In batches of those that expire on one day; several instances may do so at once. Answers how many it told. */
  async execute(): Promise<number> {
    let told = 0;
    const days = this.leadsToSomebody('api_key.expiring') ? Math.max(0, ...this.noticeDays) : 0;
    for (let day = 1; day <= days; day += 1) {
      told += await inBatches(() => this.notices.tellComingExpiries(this.noticeDays, day, BATCH));
    }
    if (this.leadsToSomebody('api_key.rotation_unused')) {
      told += await inBatches(() => this.notices.tellUnusedRotations(BATCH));
    }
    return told;
  }

  private leadsToSomebody(type: NoticeType): boolean {
    return channelsOf(type, this.receivers).length > 0;
  }
}

async function inBatches(tell: () => Promise<number>): Promise<number> {
  let told = 0;
  for (let batch = BATCH; batch === BATCH; told += batch) batch = await tell();
  return told;
}
