import { type Command, Option } from '@commander-js/extra-typings';
import type { Backlog, UndeliveredMessage } from '#application/notice-ports.js';
import { NOTICE_CHANNELS, type NoticeChannel } from '#domain/notices/key-notice.js';
import { isKeyId } from '#domain/keys/key-rules.js';
import { type Databases, onDatabase } from './administration.js';
import { type Answer, answering, NotDone, table, UsageError } from './answering.js';

const STATUSES = ['waiting', 'failed'] as const;
type Status = (typeof STATUSES)[number];
/** The most messages listed of each status. */
const MOST = 1000;

export function addEventsCommands(program: Command, databases: Databases): void {
  const events = program.command('events').description('list and resend messages that receivers have not accepted');
  const list = events
    .command('list')
    .description(`list waiting messages and those given up, oldest first, at most ${MOST} of each`)
    .addOption(new Option('--status <status>', 'only messages with this status').choices(STATUSES));
  answering(list, (options) => listEvents(databases, options.status));
  const retry = events
    .command('retry')
    .argument('[id]', 'the message, whether it waits or was given up')
    .description('make messages due now, and restart their attempts')
    .option('--failed', 'all messages that were given up');
  answering(retry, (id, { failed }) => retryEvents(databases, id, failed));
}

async function listEvents(databases: Databases, status: Status | undefined): Promise<Answer> {
  const [backlog, messages] = await onDatabase(databases, async ({ outbox }) => {
    const wanted = STATUSES.filter((each) => status === undefined || each === status);
    const lists = await Promise.all(wanted.map((each) => outbox.list(each === 'failed', MOST)));
    return [await outbox.backlog(), lists.flat()] as const;
  });
  const items = messages.map(viewOf);
  const rows = items.map((item) => [
    ...[item.id, item.status, item.recipient ? `${item.channel} to ${item.recipient}` : item.channel],
    ...[item.type, item.data.keyId, item.toldAt, String(item.tries), item.nextTryAt ?? 'none', item.lastError ?? ''],
  ]);
  const head = ['ID', 'STATUS', 'CHANNEL', 'TYPE', 'KEY', 'CREATED', 'ATTEMPTS', 'NEXT ATTEMPT', 'LAST ERROR'];
  const lines = items.length > 0 ? [table(head, rows)] : ['no such messages'];
  return { document: { backlog, items }, text: [...lines, ...summary(backlog)].join('\n') };
}

function summary(backlog: Readonly<Record<NoticeChannel, Backlog>>): string[] {
  return NOTICE_CHANNELS.map(
    (channel) => `${channel}: ${backlog[channel].waiting} waiting, ${backlog[channel].failed} failed`,
  );
}

/** Built field by field. A receiver may have written the error text, so control characters are removed from it. */
function viewOf(message: UndeliveredMessage) {
  const { id, channel, type, recipient, timestamp, data, tries, nextTryAt, failedAt, lastError } = message;
  return {
    id,
    status: failedAt ? 'failed' : 'waiting',
    channel,
    type,
    recipient,
    data,
    toldAt: timestamp.toISOString(),
    tries,
    nextTryAt: nextTryAt?.toISOString() ?? null,
    failedAt: failedAt?.toISOString() ?? null,
    lastError: lastError?.replace(/\p{Cc}/gu, ' ') ?? null,
  };
}

async function retryEvents(databases: Databases, id: string | undefined, failed = false): Promise<Answer> {
  if ((id === undefined) !== failed) throw new UsageError('give the id of one message, or --failed');
  const meant = id?.toLowerCase();
  if (meant !== undefined && !isKeyId(meant)) {
    throw new UsageError('<id> must be the id of a message, as `latchkey events list` shows it');
  }
  const retried = await onDatabase(databases, ({ outbox }) => outbox.retry(meant));
  if (meant !== undefined && retried === 0)
    throw new NotDone('there is no such message: it may have been delivered already');
  return { document: { retried }, text: `${retried} due now` };
}
