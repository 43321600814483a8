import { Controller, Get, Redirect, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { LatchkeyError } from '../../../../domain/errors.js';
import { Readiness } from '../../shared/readiness.js';
import { MetricsPage } from '../../../telemetry/metrics-page.js';
import { ProblemResponses } from '../pipeline/problem-responses.js';
import { SettingsPage } from '../pages/settings.door.js';

class StatusView {
  @ApiProperty({ enum: ['ok'] }) status!: string;
}

class ReadinessView extends StatusView {
  @ApiPropertyOptional({ description: 'Why what is answered now may be undone by a failover' }) warning?: string;
}

@ApiTags('operations')
@Controller()
export class OperationsController {
  constructor(
    private readonly readiness: Readiness,
    private readonly page: SettingsPage,
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
    description: 'What the service counts of itself, for Prometheus',
    content: { 'text/plain': { schema: { type: 'string' } } },
  })
  async tellMetrics(@Res() response: Response): Promise<void> {
    response.type(this.metrics.contentType).send(await this.metrics.text());
  }

  @Get()
  @Redirect('/settings/api-keys', 302)
  @ApiExcludeEndpoint()
  home(): void {
    // The redirect is all there is.
  }

  @Get('settings/api-keys')
  @ApiExcludeEndpoint()
  settings(@Res() response: Response): void {
    this.page.send(response);
  }
}
