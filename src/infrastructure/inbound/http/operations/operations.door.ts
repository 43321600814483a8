import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import type { Config } from '../../../../config/config.js';
import { LatchkeyError } from '../../../../domain/errors.js';
import { Readiness } from '../../shared/readiness.js';
import { MetricsPage } from '../../../telemetry/metrics-page.js';
import type { HttpDoor } from '../http-door.js';
import { ProblemResponses } from '../pipeline/problem-responses.js';
import { nothingHere } from '../../../../domain/errors.js';

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
      '/metrics': { handlers: metricsPort === undefined ? [] : [onAnotherPort] },
    },
  };
}

function onAnotherPort(_request: Request, _response: Response, next: NextFunction): void {
  next(nothingHere());
}
