import { LatchkeyError } from '#domain/errors.js';

/** This end of a channel between two processes: `process` in the child, a ChildProcess in its parent. */
export interface Channel {
  readonly connected: boolean;
  send?(message: Message, handle: undefined, options: undefined, onSent: (error: Error | null) => void): boolean;
  on(event: 'message' | 'disconnect', listener: (message: Message) => void): unknown;
  off(event: 'message' | 'disconnect', listener: (message: Message) => void): unknown;
}

export type Message =
  | { readonly request: number; readonly body: unknown }
  | { readonly reply: number; readonly value: unknown }
  | { readonly reply: number; readonly error: string };

/** Sends requests to the process at the other end of a channel, which answers them with `answerRequests`. */
export class Requests<Body, Answer> {
  private readonly open = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
  private last = 0;

  /**
   * @param silence the message of the error `unavailable`, for when an answer is late or the channel has closed
   * @param timeoutMs timeout for an answer; without it, a request waits as long as the channel is open
   */
  constructor(
    private readonly channel: Channel,
    private readonly silence: string,
    private readonly timeoutMs?: number,
  ) {
    channel.on('message', this.onMessage);
    channel.on('disconnect', this.failAll);
  }

  async send<Expected extends Answer = Answer>(body: Body): Promise<Expected> {
    const request = (this.last += 1);
    const answer = new Promise<Expected>((resolve, reject) => this.open.set(request, { resolve, reject }));
    const fail = () => this.open.get(request)?.reject(this.unavailable());
    const timer = this.timeoutMs === undefined ? undefined : setTimeout(fail, this.timeoutMs);
    try {
      this.channel.send!({ request, body }, undefined, undefined, (error) => error && fail());
      return await answer;
    } finally {
      clearTimeout(timer);
      this.open.delete(request);
    }
  }

  /** Requests that are still open fail. */
  close(): void {
    this.channel.off('message', this.onMessage);
    this.channel.off('disconnect', this.failAll);
    this.failAll();
  }

  private readonly onMessage = (message: Message): void => {
    if (!('reply' in message)) return;
    const open = this.open.get(message.reply);
    if ('error' in message) open?.reject(new Error(message.error));
    else open?.resolve(message.value as never);
  };

  private readonly failAll = (): void => {
    for (const { reject } of this.open.values()) reject(this.unavailable());
  };

  private unavailable(): LatchkeyError {
    return new LatchkeyError('unavailable', this.silence);
  }
}
