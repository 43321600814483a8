import http, { type ClientRequest, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';

const TIMEOUT_MS = 10_000;
/** How much of an answer's body is read. Nobody uses it, but it lets the receiver finish normally. */
const MOST_BYTES = 16_384;

/** POST requests to an address that an operator configured. Each has its own connection and a timeout. */
export class Posts {
  private readonly underWay = new Set<ClientRequest>();

  /** @param timeoutMs covers the whole exchange: the status must arrive within it, and so must the end of the body */
  constructor(private readonly timeoutMs = TIMEOUT_MS) {}

  /**
   * Resolves with any status that the receiver answers. Otherwise rejects with an Error that gives the reason in words.
   */
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
        // The status was already returned, so errors in the body do not matter.
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

/** Uses the code where there is one, because the message repeats the address, which may contain a token. */
function reasonOf({ code, message }: NodeJS.ErrnoException): Error {
  return new Error(code ? `it could not be reached (${code})` : message);
}
