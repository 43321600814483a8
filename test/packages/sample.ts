import { type ChildProcess, spawn } from 'node:child_process';
import { transformSync } from '@swc/core';
import { freePort } from '../../scripts/lib/ports.mjs';
import { snippetOf } from '../support/reading/pages.js';
import type { Project } from './project.js';

export const guardReadme = 'clients/node/README.md';
const places = { latchkey: '127.0.0.1:50051', port: '8080' };

/** An example of the guard's README, run as a reader would run it, with other addresses. */
export class Sample {
  private constructor(
    private readonly child: ChildProcess,
    private readonly url: string,
    private readonly printed: string[],
  ) {}

  static async start(project: Project, heading: string, language: string, target: string): Promise<Sample> {
    const port = await freePort();
    const snippet = snippetOf(guardReadme, heading, language);
    for (const place of Object.values(places)) if (!snippet.includes(place)) throw new Error(`${place} is missing`);
    const code = snippet.replace(places.latchkey, target).replace(places.port, String(port));
    const file = project.write('main.js', language === 'ts' ? withoutTypes(code) : code);
    const env = { PATH: process.env['PATH'] ?? '', LATCHKEY_SERVICE_TOKEN: 'dev-validator-token' };
    const child = spawn(process.execPath, [file], { cwd: project.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const printed: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(String(chunk)));
    return new Sample(child, `http://127.0.0.1:${port}/systems`, printed);
  }

  /** @returns undefined if it does not listen yet */
  async get(fullKey?: string): Promise<Response | undefined> {
    if (this.child.exitCode !== null) throw new Error(this.printed.join(''));
    return fetch(this.url, fullKey ? { headers: { authorization: `Bearer ${fullKey}` } } : {}).catch(() => undefined);
  }

  stop(): void {
    this.child.kill('SIGKILL');
  }
}

function withoutTypes(code: string): string {
  const parser = { syntax: 'typescript', decorators: true } as const;
  const transform = { legacyDecorator: true, decoratorMetadata: true };
  return transformSync(code, { jsc: { parser, transform, target: 'es2022' }, module: { type: 'es6' } }).code;
}
