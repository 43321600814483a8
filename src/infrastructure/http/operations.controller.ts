import { Controller, Get, Header, Redirect } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { LatchkeyError } from '../../domain/errors.js';
import { Readiness } from '../readiness.js';
import { ProblemResponses } from './problem-responses.js';
import { SETTINGS_PAGE } from './settings-page.js';

@ApiTags('operations')
@Controller()
export class OperationsController {
  constructor(private readonly readiness: Readiness) {}

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

  @Get()
  @Redirect('/settings/api-keys', 302)
  @ApiExcludeEndpoint()
  home(): void {
    // The redirect is all there is.
  }

  @Get('settings/api-keys')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @ApiExcludeEndpoint()
  settings(): string {
    return SETTINGS_PAGE;
  }
}
