import type { Worker } from 'node:cluster';

interface Handed {
  readonly seq: number | undefined;
  readonly connection: { close(): void };
}

/**
 * Node forgets a connection that it handed to a worker which died before taking it: open, and answered by nobody. Clients
 * that a dying worker drops come back sooner than its death is noticed, so that happens. Here the dead worker declines
 * it after the fact, in the words of a worker that is closing, and Node hands it to the next.
 * There is one at most for each port: the latest. One that had been taken has been answered for, and nothing happens.
 */
export function handOnWhatItNeverTakes(worker: Worker, isAnotherListening: () => boolean): void {
  const latest = new Map<unknown, Handed>();
  const send = worker.process.send!.bind(worker.process) as (message: object, ...rest: unknown[]) => boolean;
  worker.process.send = (message: { key?: string; seq?: number }, connection?: unknown, ...rest: unknown[]) => {
    if (connection) latest.set(message.key, { seq: message.seq, connection: connection as Handed['connection'] });
    return send(message, connection, ...rest);
  };
  worker.once('disconnect', () => {
    for (const { seq, connection } of latest.values()) {
      if (isAnotherListening()) {
        worker.process.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: seq, accepted: false });
      } else connection.close();
    }
  });
}
