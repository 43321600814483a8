import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Config } from '../../../../config/config.js';
import { mapError } from '../../shared/error-table.js';
import { cannotListen } from '../../shared/listening.js';
import type { Readiness } from '../../shared/readiness.js';
import type { MetricsPage } from '../../../telemetry/metrics-page.js';

type Answer = readonly [status: number, type: string, body: string];
const JSON_TYPE = 'application/json; charset=utf-8';

/** Metrics and health on a separate port, which can be closed to the clients of HTTP_PORT. */
export class MetricsListener {
  private readonly server: Server;

  constructor(
    private readonly page: MetricsPage,
    private readonly readiness: Readiness,
    private readonly config: Pick<Config, 'metricsPort' | 'host'>,
  ) {
    this.server = createServer((request, response) => {
      // Bodies are ignored.
      request.resume();
      const path = request.method === 'GET' ? request.url?.split('?', 1)[0] : undefined;
      void this.answer(path).then((answer) => send(response, answer));
    });
  }

  /** Listens if METRICS_PORT is set. @throws the port is taken */
  async open(): Promise<void> {
    const { metricsPort, host } = this.config;
    if (metricsPort === undefined) return;
    await new Promise<void>((resolve, reject) => {
      const refuse = (error: Error) => reject(cannotListen(error, 'METRICS_PORT', metricsPort, host));
      this.server.once('error', refuse).listen(metricsPort, host, resolve);
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private async answer(path: string | undefined): Promise<Answer> {
    try {
      if (path === '/metrics') return [200, this.page.contentType, await this.page.text()];
      if (path === '/livez') return [200, JSON_TYPE, '{"status":"ok"}'];
      if (path !== '/readyz') return [404, JSON_TYPE, '{"status":"not found"}'];
      if (await this.readiness.check()) return [200, JSON_TYPE, JSON.stringify(this.readiness.status)];
      return [503, JSON_TYPE, '{"status":"not ready"}'];
    } catch (error) {
      return [mapError(error).http, JSON_TYPE, '{"status":"unavailable"}'];
    }
  }
}

function send(response: ServerResponse, [status, type, body]: Answer): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}
