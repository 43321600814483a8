import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { root } from '../../scripts/lib/paths.mjs';
import { createGuard } from '../../clients/node/src/guard.js';
import type { DecisionEvent } from '../../clients/node/src/hooks.js';
import { principalOf } from '../../clients/node/src/http/principal.js';
import { sendRaw, serve } from '../../clients/node/src/testing/raw-http.js';

const folder = join(root, 'clients/conformance');

interface Expected {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: object;
  readonly asked?: number | Readonly<Record<string, string | null | { not: readonly string[] }>>;
  readonly source?: string;
}

interface Case {
  readonly name: string;
  readonly over?: 'http';
  readonly options?: { readonly deadlineMs?: number; readonly leases?: boolean };
  readonly steps: readonly {
    readonly latchkey?: unknown;
    readonly clock?: { readonly wall: number; readonly monotonic: number };
    readonly request?: {
      readonly method: string;
      readonly path: string;
      readonly headers: readonly [string, string][];
    };
    readonly expect?: Expected;
  }[];
}

interface Asked {
  readonly question: Readonly<Record<string, string>>;
  readonly identity: string;
}

const { cases } = JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8')) as { cases: readonly Case[] };

describe('the table of cases for every guard', () => {
  let latchkey: ChildProcess;
  let ports: { grpc: number; control: number };
  beforeAll(async () => {
    latchkey = spawn(process.execPath, [join(folder, 'latchkey.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: latchkey.stdout! })) {
      ports = JSON.parse(line) as typeof ports;
      break;
    }
  });
  afterAll(() => void latchkey.stdin!.end());

  const control = (init?: RequestInit) => fetch(`http://127.0.0.1:${ports.control}`, init);
  const asked = async () => ((await (await control()).json()) as { asked: Asked[] }).asked;

  function guardWith(options: Case['options'] = {}) {
    const clock = { wall: 1_900_000_000_000, monotonic: 5000 };
    const decisions: DecisionEvent[] = [];
    const guard = createGuard(
      {
        target: `127.0.0.1:${ports.grpc}`,
        serviceToken: 'token',
        deadlineMs: 60_000,
        logFailures: false,
        onDecision: (event) => decisions.push(event),
        channelOptions: { 'grpc.keepalive_time_ms': 600_000 },
        ...options,
      },
      { wall: () => clock.wall, monotonic: () => clock.monotonic },
    );
    const app = express();
    const show: express.RequestHandler = (req, res) => void res.json(principalOf(req));
    app.all('/systems', guard.protect({ read: 'systems:read', write: 'systems:write' }), show);
    app.all('/systems/:id', guard.protect('systems/{id}:read'), show);
    app.all('/any', guard.protect(null), show);
    app.all('/search', guard.protect('systems:read', { operation: 'READ' }), show);
    return { guard, app, clock, decisions };
  }

  function compare(questions: readonly Asked[], expected: Expected['asked']): void {
    for (const { identity } of questions) expect(identity).toBe('Bearer token');
    if (expected === undefined) return;
    expect(questions).toHaveLength(typeof expected === 'number' ? expected : 1);
    if (typeof expected === 'number') return;
    for (const [name, value] of Object.entries(expected)) {
      const sent = questions[0]!.question[name] ?? '';
      if (typeof value === 'object' && value !== null) expect(value.not).not.toContain(sent);
      else expect([name, sent]).toEqual([name, value ?? '']);
    }
  }

  async function play(server: Server, { clock, decisions }: ReturnType<typeof guardWith>, steps: Case['steps']) {
    for (const { latchkey: script, clock: passed, request, expect: expected } of steps) {
      if (script) await control({ method: 'PUT', body: JSON.stringify(script) });
      if (passed) {
        clock.wall += passed.wall;
        clock.monotonic += passed.monotonic;
      }
      if (!request || !expected) continue;
      const before = (await asked()).length;
      const lines = request.headers.map(([name, value]) => `${name}: ${value}`);
      const answer = await sendRaw(server, `${request.method} ${request.path}`, lines);
      expect(answer.status).toBe(expected.status);
      for (const [name, value] of Object.entries(expected.headers ?? {})) {
        expect([name, answer.headers[name.toLowerCase()] ?? null]).toEqual([name, value]);
      }
      if (expected.body) expect(JSON.parse(answer.body)).toMatchObject(expected.body);
      if (expected.source) expect(decisions.at(-1)?.source).toBe(expected.source);
      compare((await asked()).slice(before), expected.asked);
    }
  }

  it.each(cases.filter(({ over }) => over === undefined).map((each) => [each.name, each] as const))(
    '%s',
    async (_, { options, steps }) => {
      const guarded = guardWith(options);
      const server = await serve(guarded.app);
      try {
        await play(server, guarded, steps);
      } finally {
        server.close();
        guarded.guard.close();
      }
    },
  );
});
