import { Controller, Get, Redirect, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { LatchkeyError } from '../../domain/errors.js';
import { Readiness } from '../readiness.js';
import { MetricsPage } from '../telemetry/metrics-page.js';
import { ProblemResponses } from './problem-responses.js';
import { SettingsPage } from './settings-page.js';

@ApiTags('operations')
@Controller()
export class OperationsController {
  constructor(
    private readonly readiness: Readiness,
    private readonly page: SettingsPage,
    private readonly metrics: MetricsPage,
  ) {}

  @Get('livez')
  @ApiOkResponse({ description: 'The process runs' })
  live() {
    return { status: 'ok' };
  }

  @Get('readyz')
  @ApiOkResponse({ description: 'Validations can be answered' })
  @ProblemResponses({})
  async ready() {
    if (!(await this.readiness.check())) throw new LatchkeyError('unavailable', 'Not ready to answer validations');
    return { status: 'ok' };
  }

  @Get('metrics')
  @ApiOkResponse({ description: 'What the service counts of itself, for Prometheus' })
  @ProblemResponses({})
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
