import type { IncomingMessage } from 'node:http';
import { HttpException, Inject, Injectable } from '@nestjs/common';
// NestJS is ESM only. Our declarations have to say so, or a project with `module: node16` cannot read them.
import type { CanActivate, ExecutionContext, Type } from '@nestjs/common' with { 'resolution-mode': 'import' };
import { HttpAdapterHost, ModuleRef, Reflector } from '@nestjs/core';
import type * as core from '@nestjs/core' with { 'resolution-mode': 'import' };
import type { Guard } from '../../guard.js';
import { decisionHeaders, refusalAnswer } from '../../http/http-answer.js';
import type { HttpRequest } from '../../http/http-request.js';
import type { Permission } from '../../http/permission.js';
import { admit } from '../../http/principal.js';
import type { Route, RouteOptions } from '../../http/route.js';
import { type FastifyLike, fromFastify } from '../from-fastify.js';

/** The injection token under which LatchkeyModule provides the application's one guard. */
export const guardToken = Symbol('@latchkey/guard');
export const protectionKey = '@latchkey/guard:protection';

/** A guard of the platform, as `@UseGuards` takes it. */
type OtherGuard = Type<CanActivate> | CanActivate;

export interface PermissionOptions extends RouteOptions {
  /**
   * A guard, as `@UseGuards` takes it, that handles each request without an API key: the platform's own check.
   * LatchkeyGuard does not check such a request. It also gets imported keys, which have no marker. Default: LatchkeyGuard
   * checks every request, and refuses one without a key with 401.
   */
  readonly otherwise?: OtherGuard | undefined;
}

/** In place of a protection: everybody may call the handler. */
export const OPEN = 'open';

interface Protection {
  readonly permission: Permission;
  readonly options: PermissionOptions;
}

/**
 * The handler that a request was admitted to, so that guards on the controller and on the handler check it only once.
 */
const admittedTo = new WeakMap<object, unknown>();

/** Whether LatchkeyGuard, or the guard that `otherwise` names, let the request through. */
export function isAdmitted(raw: IncomingMessage): boolean {
  return admittedTo.has(raw);
}

/** Runs before each handler with `@Permission`. As a global guard it refuses every handler without `@Permission` or `@Public`. */
@Injectable()
export class LatchkeyGuard implements CanActivate {
  private readonly routes = new Map<Protection, Route>();
  private readonly others = new Map<OtherGuard, Promise<CanActivate>>();

  constructor(
    @Inject(guardToken) private readonly guard: Guard,
    @Inject(Reflector) private readonly reflector: core.Reflector,
    @Inject(HttpAdapterHost) private readonly host: core.HttpAdapterHost,
    @Inject(ModuleRef) private readonly moduleRef: core.ModuleRef,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const protection = this.protectionOf(context);
    if (protection === OPEN) return true;
    const raw = rawRequest(context);
    if (admittedTo.get(raw) === context.getHandler()) return true;
    const { otherwise } = protection.options;
    const mayPass =
      otherwise && !this.guard.isApiKey(raw)
        ? await this.otherAdmits(otherwise, context)
        : await this.admits(this.routeOf(protection), raw, context);
    if (mayPass) admittedTo.set(raw, context.getHandler());
    return mayPass;
  }

  private async admits(route: Route, raw: IncomingMessage, context: ExecutionContext): Promise<boolean> {
    const decision = await route(httpRequest(context));
    const response: unknown = context.switchToHttp().getResponse();
    // Other code (a timeout, for example) has answered in the meantime. Nothing may be added to its answer.
    if (this.host.httpAdapter.isHeadersSent(response)) return false;
    const present = (name: string): unknown => this.host.httpAdapter.getHeader(response, name);
    const headers = Object.entries(decisionHeaders(decision, present));
    for (const [name, value] of headers) this.host.httpAdapter.setHeader(response, name, value);
    if (!decision.allowed) {
      const { status, body } = refusalAnswer(decision);
      throw new HttpException(JSON.parse(body), status);
    }
    admit(raw, decision.principal);
    return true;
  }

  /** @throws {Error} the handler has neither decorator or is not called over HTTP: a mistake in the application */
  private protectionOf(context: ExecutionContext): Protection | typeof OPEN {
    const [handler, controller] = [context.getHandler(), context.getClass()];
    const name = `${controller.name}.${handler.name}`;
    if (context.getType() !== 'http') throw new Error(`LatchkeyGuard: ${name} is not called over HTTP`);
    const protection = this.reflector.getAllAndOverride<Protection | typeof OPEN | undefined>(protectionKey, [
      handler,
      controller,
    ]);
    if (protection) return protection;
    throw new Error(`LatchkeyGuard: ${name} has no @Permission. Add one, or @Public() if everybody may call it`);
  }

  private routeOf(protection: Protection): Route {
    const route = this.routes.get(protection) ?? this.guard.route(protection.permission, protection.options);
    this.routes.set(protection, route);
    return route;
  }

  /** A guard that is given as a class is created once, with its dependencies. */
  private async otherAdmits(guard: OtherGuard, context: ExecutionContext): Promise<boolean> {
    if (typeof guard === 'function' && !this.others.has(guard)) this.others.set(guard, this.moduleRef.create(guard));
    const instance = typeof guard === 'function' ? await this.others.get(guard)! : guard;
    const answer = await instance.canActivate(context);
    return typeof answer === 'boolean' ? answer : lastOf(answer);
  }
}

/** Only the last value counts, as in Nest. A guard without a value refuses the request. */
function lastOf(answers: Exclude<Awaited<ReturnType<CanActivate['canActivate']>>, boolean>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let last = false;
    answers.subscribe({ next: (answer) => (last = answer), error: reject, complete: () => resolve(last) });
  });
}

/** With Express, Nest's request is Node's own; Fastify wraps it. */
type PlatformRequest = IncomingMessage | FastifyLike;

export function rawRequest(context: ExecutionContext): IncomingMessage {
  const request = context.switchToHttp().getRequest<PlatformRequest>();
  return 'raw' in request ? request.raw : request;
}

function httpRequest(context: ExecutionContext): HttpRequest {
  const request = context.switchToHttp().getRequest<PlatformRequest>();
  return 'raw' in request ? fromFastify(request) : request;
}
