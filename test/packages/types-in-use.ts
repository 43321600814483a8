/** The compiler options of a strict project, which also checks its libraries' declarations. */
export const compilerOptions = {
  module: 'node16',
  moduleResolution: 'node16',
  target: 'es2022',
  strict: true,
  noEmit: true,
  types: ['node'],
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
};

/** Correct and wrong uses of the guard's types. If a type became `any`, the expected errors would be missing. */
export const typesInUse = `
import type { Server } from 'node:http';
import { createGuard, principalOf, type Decision, type Guard, type Principal } from '@latchkey/guard';
import { latchkey } from '@latchkey/guard/fastify';
import { LatchkeyModule, Permission } from '@latchkey/guard/nestjs';
import { fastify as Fastify, type FastifyInstance } from 'fastify';

// @ts-expect-error the target is missing
createGuard({ serviceToken: 'token' });
// @ts-expect-error no such operation
Permission('systems:read', { operation: 'FLY' });
// @ts-expect-error no such option
LatchkeyModule.forRoot({ target: 'latchkey:50051', serviceTokens: 'token' });

export async function ownerOf(guard: Guard): Promise<string> {
  const decision: Decision = await guard.check({ authorization: [], method: 'GET' });
  // @ts-expect-error there is no principal before the decision is checked
  decision.principal;
  return decision.allowed ? decision.principal.ownerId : decision.reason;
}

export async function buildHttp2(): Promise<void> {
  const app = Fastify({ http2: true });
  await app.register(latchkey, { target: 'latchkey:50051', serviceToken: 'token' });
  app.get('/', { onRequest: app.protect('systems:read') }, (request): Principal => request.principal);
  app.addHook('onRequest', async (request) => app.isApiKey(request));
}

export async function build(app: FastifyInstance, server: Server): Promise<void> {
  await app.register(latchkey, { target: 'latchkey:50051', serviceToken: 'token' });
  // @ts-expect-error a permission is missing
  app.protect();
  app.get('/', { onRequest: app.protect('systems:read') }, (request): Principal => request.principal);
  server.on('request', (request) => {
    const access: 'read-only' | 'read-and-write' = principalOf(request).access;
    // @ts-expect-error the platform may not have set it
    const tenant: string = principalOf(request).attributes.tenant;
    // @ts-expect-error a principal has no password
    principalOf(request).password;
    return [access, tenant];
  });
}
`;
