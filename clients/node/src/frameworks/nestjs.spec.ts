import 'reflect-metadata';
import type { Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  All,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  type INestApplication,
  Inject,
  Injectable,
  Module,
  Post,
  Search,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { of } from 'rxjs';
import { denied, granted, REFUSALS } from '../testing/answers.js';
import { EITHER } from '../testing/either.js';
import { eventually } from '../testing/eventually.js';
import { sendRaw } from '../testing/raw-http.js';
import { ScriptedLatchkey } from '../testing/scripted-latchkey.js';
import { LatchkeyGuard, LatchkeyModule, Permission, Principal, Public } from './nestjs.js';

const latchkey = new ScriptedLatchkey();
const handled: string[] = [];
let app: INestApplication<Server>;

@Controller('systems')
@Permission({ read: 'systems:read', write: 'systems:write' })
class SystemsController {
  @All()
  all(@Principal() principal: Principal) {
    handled.push(principal.ownerId);
    return { actsAs: principal.ownerId };
  }

  @Post('purge')
  @Permission('systems:purge', { operation: 'DESTROY' })
  purge() {
    return {};
  }

  @Get('docs')
  @Public()
  docs() {
    return {};
  }

  @Search('found')
  @Permission('systems:read', { operations: { SEARCH: 'READ' } })
  search() {
    return {};
  }
}

let others: number;

/** Injected into the platform's guard, to show that Nest provides its dependencies. */
@Injectable()
class Users {
  readonly token = 'Bearer eyJ.user.jwt';
}

@Injectable()
class PlatformGuard implements CanActivate {
  constructor(@Inject(Users) private readonly users: Users) {}

  canActivate(context: ExecutionContext) {
    others += 1;
    return of(context.switchToHttp().getRequest().headers.authorization === this.users.token);
  }
}

@Controller('both')
@Permission('systems:read', { otherwise: PlatformGuard })
class BothController {
  @Get()
  @Permission('systems:read', { otherwise: PlatformGuard })
  both(@Principal() principal: Principal | undefined) {
    return { actsAs: principal?.ownerId ?? 'a user' };
  }
}

@Controller('open')
class OpenController {
  @Get()
  open(@Principal() principal: Principal) {
    return principal;
  }

  @Get('livez')
  livez() {
    return { status: 'ok' };
  }
}

const options = () => ({ ...latchkey.options, serviceToken: 'token' });

@Module({
  imports: [LatchkeyModule.forRootAsync({ useFactory: options })],
  controllers: [SystemsController, BothController, OpenController],
  providers: [Users],
})
class AppModule {}

const send = (requestLine: string, headers = ['Authorization: Bearer lk_key']) =>
  sendRaw(app.getHttpServer(), requestLine, headers);

beforeEach(async () => {
  handled.length = others = 0;
  latchkey.questions.length = 0;
  latchkey.answers(granted());
  await latchkey.start();
  app = await NestFactory.create(AppModule, { logger: false });
  await app.listen(0, '127.0.0.1');
});

afterEach(async () => {
  await app.close();
  latchkey.stop();
});

describe('the module for NestJS', () => {
  it('runs the handler of a granted request with its principal, and adds RateLimit fields and expiry', async () => {
    const answer = await send('PUT /systems');
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        'ratelimit-policy': '"key";q=100;w=5',
        ratelimit: '"key";r=99;t=1',
        'latchkey-key-expires': '2030-03-17T17:46:40.250Z',
        'access-control-expose-headers': 'Latchkey-Key-Expires',
      },
    });
    expect(JSON.parse(answer.body)).toEqual({ actsAs: 'owner-1' });
    expect(latchkey.questions).toMatchObject([{ operation: 'OPERATION_WRITE', permission: 'systems:write' }]);
  });

  it.each(REFUSALS)('answers %d without running the handler', async (status, message, serviceAnswer, fields) => {
    latchkey.answers(serviceAnswer);
    const answer = await send('POST /systems');
    expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { message }]);
    expect(answer.headers).toMatchObject({ 'content-type': expect.stringContaining('application/json'), ...fields });
    expect(handled).toEqual([]);
  });

  it('validates once, with the permission of the handler, if the controller has one, too', async () => {
    await send('POST /systems/purge');
    await send('SEARCH /systems/found');
    expect(latchkey.questions).toMatchObject([
      { operation: 'OPERATION_DESTROY', permission: 'systems:purge' },
      { operation: 'OPERATION_READ', permission: 'systems:read' },
    ]);
  });

  it.each(EITHER)('sends a request with %s once and only to its own check', async (_, headers, judge) => {
    latchkey.answers(denied());
    const { status } = await send('GET /both', [...headers]);
    expect(latchkey.questions.length > 0 ? 'Latchkey' : 'platform').toBe(judge);
    if (judge === 'Latchkey') expect([status, latchkey.questions.length, others]).toEqual([401, 1, 0]);
    else expect([status, others]).toEqual(status === 200 ? [200, 1] : [403, 1]);
  });

  it("lets keys and users' tokens in, and the handler can distinguish them", async () => {
    expect(await send('GET /both')).toMatchObject({ status: 200, body: '{"actsAs":"owner-1"}' });
    const user = await send('GET /both', ['Authorization: Bearer eyJ.user.jwt']);
    expect(user).toMatchObject({ status: 200, body: '{"actsAs":"a user"}' });
    expect((await send('GET /both', ['Authorization: Bearer eyJ.another.jwt'])).status).toBe(403);
  });

  it('leaves handlers without @Permission open and without a principal', async () => {
    expect(await send('GET /open/livez', [])).toMatchObject({ status: 200 });
    expect(await send('GET /open')).toMatchObject({ status: 500 });
    expect(latchkey.questions).toEqual([]);
  });

  it('refuses all requests to a handler without @Permission as a global guard', async () => {
    await app.close();
    app = await NestFactory.create(AppModule, { logger: false });
    app.useGlobalGuards(await app.resolve(LatchkeyGuard));
    await app.listen(0, '127.0.0.1');
    expect(await send('GET /open/livez')).toMatchObject({ status: 500 });
    expect(await send('GET /systems')).toMatchObject({ status: 200 });
    expect(latchkey.questions).toHaveLength(1);
  });

  it('lets everybody through to a handler with @Public, even if its controller has @Permission', async () => {
    await app.close();
    app = await NestFactory.create(AppModule, { logger: false });
    app.useGlobalGuards(await app.resolve(LatchkeyGuard));
    await app.listen(0, '127.0.0.1');
    expect(await send('GET /systems/docs', [])).toMatchObject({ status: 200 });
    expect(latchkey.questions).toEqual([]);
  });

  it('refuses an invalid permission when the decorator is applied', () => {
    expect(() => Permission('systems')).toThrow(/^permission: "systems"/);
    expect(() => Permission(null, { operations: { post: 'READ' } })).toThrow(/^operations: "post"/);
  });

  it('closes its guard with the application', async () => {
    await send('GET /systems');
    await app.close();
    await eventually(() => latchkey.streams.size === 0);
  });
});
