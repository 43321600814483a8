import http, { type ClientRequest, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';

const TIMEOUT_MS = 10_000;
/** Read of an answer's body, which nobody looks at, so that the receiver can end in peace. */
const MOST_BYTES = 16_384;

/** Requests to an address that an operator has set: each on a connection of its own, and each with an end. */
export class Posts {
  private readonly underWay = new Set<ClientRequest>();

  /** @param timeoutMs from the beginning to the answer's status, and to the end of its body as well */
  constructor(private readonly timeoutMs = TIMEOUT_MS) {}

  /** Answers the status, whichever it is. Throws an Error that says in words why there is none. */
  send(url: string, body: string, headers: OutgoingHttpHeaders): Promise<number> {
    return new Promise((resolve, reject) => {
      const { request: open } = url.startsWith('https:') ? https : http;
      const length = Buffer.byteLength(body);
      const request = open(url, { method: 'POST', agent: false, headers: { ...headers, 'content-length': length } });
      this.underWay.add(request);
      const timer = setTimeout(() => request.destroy(new Error(this.lateness)), this.timeoutMs);
      request.once('close', () => {
        clearTimeout(timer);
        this.underWay.delete(request);
      });
      request.on('error', (error: NodeJS.ErrnoException) => reject(reasonOf(error)));
      request.once('response', (response) => {
        resolve(response.statusCode!);
        let read = 0;
        response.on('data', (chunk: Buffer) => {
          read += chunk.length;
          if (read > MOST_BYTES) request.destroy();
        });
        // The status has been told: how the body ends is nobody's concern.
        response.on('error', () => undefined);
      });
      request.end(body);
    });
  }

  close(): void {
    for (const request of this.underWay) request.destroy(new Error('the service ended'));
  }

  private get lateness(): string {
    return `it did not answer within ${this.timeoutMs / 1000} seconds`;
  }
}

/** A connection's error has a code, and a message that repeats the address: which may hold a token. */
function reasonOf({ code, message }: NodeJS.ErrnoException): Error {
  return new Error(code ? `it could not be reached (${code})` : message);
}
