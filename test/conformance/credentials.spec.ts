import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createGuard, type Guard } from '@latchkey/guard';
import { latchkey as fastifyGuard } from '@latchkey/guard/fastify';
import express from 'express';
import Fastify from 'fastify';
import { root } from '../../scripts/lib/paths.mjs';
import { ScriptedLatchkey } from '../../clients/node/src/testing/scripted-latchkey.js';
import { portOf, serve } from '../../clients/node/src/testing/raw-http.js';
import type { Credential, CredentialForm } from '#domain/keys/credential.js';
import { ExtAuthz } from '../doors/support/ext-authz.js';
import { FORWARDED, headersOf, routesFile } from '../support/callers/forward-auth.js';
import { bearer } from '../support/callers/grpc-clients.js';
import { IMPORT_PREFIX, importKeys, importOf } from '../support/callers/imports.js';
import { newOwner } from '../support/callers/owners.js';
import { rawRequest } from '../support/callers/raw-http.js';
import { startService, type Service } from '../support/processes/service.js';

interface Case {
  readonly name: string;
  readonly credentials: readonly CredentialForm[];
  readonly headers: readonly (readonly [string, string])[];
  readonly finds: Credential;
  readonly status: 200 | 401;
  readonly challenge?: string;
}
const table = readFileSync(`${root}/clients/conformance/credentials.json`, 'utf8');
const { key, cases } = JSON.parse(table) as { readonly key: string; readonly cases: readonly Case[] };
const SETS = [...new Set(cases.map(({ credentials }) => credentials.join()))];

const sentTo = (headers: Case['headers'], host: string) =>
  headers.map(([name, value]) => [name, value.replace('{host}', host)] as const);
/** What a client sees. */
interface Seen {
  readonly status: number;
  readonly challenge: string | undefined;
  readonly cacheControl: string | undefined;
}
const expected = ({ status, challenge, credentials }: Case, otherwise?: string): Seen => ({
  status,
  challenge,
  cacheControl: otherwise ?? (credentials.includes('x-api-key') ? 'private' : undefined),
});
const seenIn = (status: number, headers: Readonly<Record<string, string>>): Seen => ({
  status,
  challenge: headers['www-authenticate'],
  cacheControl: headers['cache-control'],
});

describe.each(SETS)('with %s', (set) => {
  const ours = cases.filter(({ credentials }) => credentials.join() === set);
  const rows = ours.map((each) => [each.name, each] as const);
  const credentials = set.split(',') as CredentialForm[];

  describe('a door', () => {
    let service: Service;
    let envoy: ExtAuthz;
    beforeAll(async () => {
      service = await startService({
        CREDENTIALS: set,
        IMPORT_PREFIXES: IMPORT_PREFIX,
        FORWARD_AUTH_ROUTES: routesFile(),
        TRUSTED_PROXIES: 'loopback',
        RATE_LIMIT_PER_SECOND: '1000000',
        RATE_LIMIT_BURST: '1000000',
      });
      const owner = await newOwner(service);
      const [imported] = await importKeys(service.clients, [importOf(key, owner.id)]);
      expect(imported).toMatchObject({ error: '' });
      envoy = new ExtAuthz(service.grpcTarget, bearer('dev-validator-token'));
    });
    afterAll(async () => {
      envoy.close();
      await service.stop();
    });

    test.each(rows)('of forward-auth answers %s as the table says', async (_, each) => {
      const { host } = new URL(service.url);
      const own = [`${FORWARDED[0]}: GET`, `${FORWARDED[1]}: /systems`, `X-Forwarded-Host: ${host}`];
      const headers = sentTo(each.headers, host).map((pair) => pair.join(': '));
      const { status, head } = await rawRequest(service, 'GET /v1/forward-auth?mode=caddy', [...own, ...headers]);
      expect(seenIn(status, headersOf(head))).toEqual(expected(each, 'no-store'));
    });

    test.each(rows)('of ext_authz answers %s as the table says', async (_, each) => {
      const headers: Record<string, string> = {};
      // Envoy joins headers of the same name.
      for (const [name, value] of sentTo(each.headers, 'api.example.com')) {
        const known = headers[name.toLowerCase()];
        headers[name.toLowerCase()] = known === undefined ? value : `${known},${value}`;
      }
      const { status, headers: seen, forwarded } = await envoy.pass({ headers }, { permission: 'systems:read' });
      expect(seenIn(status, seen)).toEqual(expected(each, each.status === 200 ? undefined : 'no-store'));
      if (status === 200)
        for (const text of Object.values(each.finds)) expect(JSON.stringify(forwarded)).not.toContain(text);
    });
  });

  describe('a guard', () => {
    const scripted = new ScriptedLatchkey();
    let guard: Guard;
    let servers: [string, Server][];
    const stops: (() => unknown)[] = [];
    beforeAll(async () => {
      await scripted.start();
      scripted.script = ({ apiKey, authorization = '' }, reply) => {
        const isGood = (apiKey ?? /^bearer (.*)$/i.exec(authorization)?.[1]) === key;
        const grant = {
          keyId: 'k',
          ownerId: 'o',
          access: 'ACCESS_LEVEL_READ_ONLY',
          expiresAt: { seconds: 2e9 },
        } as const;
        reply(null, isGood ? { grant } : { denial: { reason: 'REASON_INVALID_KEY', httpStatus: 401 } });
      };
      const options = { ...scripted.options, serviceToken: 'token', deadlineMs: 5000, credentials };
      guard = createGuard(options);
      const app = express();
      app.get('/systems', guard.protect('systems:read'), (_, res) => res.end());
      const fastify = Fastify();
      await fastify.register(fastifyGuard, options);
      fastify.get('/systems', { onRequest: fastify.protect('systems:read') }, () => '');
      await fastify.listen({ host: '127.0.0.1', port: 0 });
      const server = await serve(app);
      servers = [
        ['Express', server],
        ['Fastify', fastify.server],
      ];
      stops.push(
        () => fastify.close(),
        () => server.close(),
        () => guard.close(),
        () => scripted.stop(),
      );
    });
    afterAll(async () => {
      for (const stop of stops) await stop();
    });

    test.each(rows)('answers %s as the table says, and sends the credential that it found', async (_, each) => {
      for (const [, server] of servers) {
        const host = `127.0.0.1:${portOf(server)}`;
        const headers = sentTo(each.headers, host).map((pair) => pair.join(': '));
        const { status, head } = await rawRequest({ url: `http://${host}` }, 'GET /systems', headers);
        expect(seenIn(status, headersOf(head))).toEqual(expected(each));
        expect(scripted.questions.at(-1)).toMatchObject(each.finds);
      }
    });
  });
});
