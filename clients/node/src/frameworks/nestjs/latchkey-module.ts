import { ConfigurableModuleBuilder, Inject, Module } from '@nestjs/common';
import type { ConfigurableModuleCls, OnApplicationShutdown } from '@nestjs/common' with { 'resolution-mode': 'import' };
import { type Guard, createGuard } from '../../guard.js';
import type { GuardOptions } from '../../options.js';
import { guardToken } from './latchkey-guard.js';

const configurable = new ConfigurableModuleBuilder<GuardOptions>()
  .setClassMethodName('forRoot')
  .setExtras({}, (definition) => ({ ...definition, global: true }))
  .build();
const { MODULE_OPTIONS_TOKEN } = configurable;
// With its type: the compiler would import Nest's types as CommonJS, which they are not.
const ConfigurableModuleClass: ConfigurableModuleCls<GuardOptions, 'forRoot'> = configurable.ConfigurableModuleClass;

/**
 * Opens a guard for the application, and closes it with the application: `LatchkeyModule.forRoot({ target, … })`, or
 * `forRootAsync` with a factory. Handlers can then use `@Permission('systems:read')` and `@Principal()`.
 */
@Module({
  providers: [{ provide: guardToken, useFactory: createGuard, inject: [MODULE_OPTIONS_TOKEN] }],
  exports: [guardToken],
})
export class LatchkeyModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  constructor(@Inject(guardToken) private readonly guard: Guard) {
    super();
  }

  /** After the last request has been answered. */
  onApplicationShutdown(): void {
    this.guard.close();
  }
}
