import { createServer } from 'node:http';
import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Config } from '#config/config.js';
import { LatchkeyError } from '#domain/errors.js';
import { MetricsPage } from '#infrastructure/telemetry/metrics-page.js';
import { Readiness } from '../../shared/readiness.js';
import { type HttpDoor, notServed } from '../http-door.js';
import { ProblemResponses } from '../pipeline/openapi.js';
import { mapError } from '../../shared/error-table.js';
import { HttpListener } from '../../shared/listening.js';

class StatusView {
  @ApiProperty({ enum: ['ok'] }) status!: string;
}

class ReadinessView extends StatusView {
  @ApiPropertyOptional({ description: 'Why a failover may undo changes that are confirmed now' }) warning?: string;
}

@ApiTags('operations')
@Controller()
class OperationsController {
  constructor(
    private readonly readiness: Readiness,
    private readonly metrics: MetricsPage,
  ) {}

  @Get('livez')
  @ApiOkResponse({ description: 'The process runs', type: StatusView })
  live() {
    return { status: 'ok' };
  }

  @Get('readyz')
  @ApiOkResponse({ description: 'Validations can be answered', type: ReadinessView })
  @ProblemResponses({})
  async ready() {
    if (!(await this.readiness.check())) throw new LatchkeyError('unavailable', 'Not ready to answer validations');
    return this.readiness.status;
  }

  @Get('metrics')
  @ApiOkResponse({
    description: 'Metrics for Prometheus',
    content: { 'text/plain': { schema: { type: 'string' } } },
  })
  async sendMetrics(@Res() response: Response): Promise<void> {
    response.type(this.metrics.contentType).send(await this.metrics.text());
  }
}

export function operationsDoor({ metricsPort }: Pick<Config, 'metricsPort'>): HttpDoor {
  return {
    controllers: [OperationsController],
    policies: {
      '/livez': { isProbe: true },
      '/readyz': { isProbe: true },
      '/metrics': { handlers: metricsPort === undefined ? [] : [notServed] },
    },
  };
}

type Answer = readonly [status: number, type: string, body: string];
const JSON_TYPE = 'application/json; charset=utf-8';

/** Metrics and health on a separate port, which can be closed to the clients of HTTP_PORT. */
export function metricsListener(
  page: MetricsPage,
  readiness: Readiness,
  { metricsPort, host }: Pick<Config, 'metricsPort' | 'host'>,
): HttpListener {
  const answerTo = async (path: string | undefined): Promise<Answer> => {
    if (path === '/metrics') return [200, page.contentType, await page.text()];
    if (path === '/livez') return [200, JSON_TYPE, '{"status":"ok"}'];
    if (path !== '/readyz') return [404, JSON_TYPE, '{"status":"not found"}'];
    if (await readiness.check()) return [200, JSON_TYPE, JSON.stringify(readiness.status)];
    return [503, JSON_TYPE, '{"status":"not ready"}'];
  };
  const server = createServer(async (request, response) => {
    // Bodies are ignored.
    request.resume();
    const path = request.method === 'GET' ? request.url?.split('?', 1)[0] : undefined;
    const [status, type, body] = await answerTo(path).catch((error: unknown): Answer => [
      mapError(error).http,
      JSON_TYPE,
      '{"status":"unavailable"}',
    ]);
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
  });
  // It closes after the ports of clients, which may have taken half of the time for a stop.
  return new HttpListener(server, 'METRICS_PORT', metricsPort, host, 0);
}
