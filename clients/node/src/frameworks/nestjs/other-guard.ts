import type { CanActivate, ExecutionContext, Type } from '@nestjs/common' with { 'resolution-mode': 'import' };
import type { ModuleRef } from '@nestjs/core' with { 'resolution-mode': 'import' };

/** A guard of the platform, as `@UseGuards` takes it. */
export type OtherGuard = Type<CanActivate> | CanActivate;

/** Runs guards of the platform. A guard that is given as a class is created once, with its dependencies. */
export class OtherGuards {
  private readonly made = new Map<Type<CanActivate>, Promise<CanActivate>>();

  constructor(private readonly moduleRef: ModuleRef) {}

  async admits(guard: OtherGuard, context: ExecutionContext): Promise<boolean> {
    const instance = typeof guard === 'function' ? await this.instanceOf(guard) : guard;
    const answer = await instance.canActivate(context);
    return typeof answer === 'boolean' ? answer : lastOf(answer);
  }

  private instanceOf(type: Type<CanActivate>): Promise<CanActivate> {
    const instance = this.made.get(type) ?? this.moduleRef.create(type);
    this.made.set(type, instance);
    return instance;
  }
}

/** Only the last value counts, as in Nest. A guard without a value refuses the request. */
function lastOf(answers: Exclude<Awaited<ReturnType<CanActivate['canActivate']>>, boolean>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let last = false;
    answers.subscribe({ next: (answer) => (last = answer), error: reject, complete: () => resolve(last) });
  });
}
