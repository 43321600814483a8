import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { demo, snippet } from '../../scripts/snippet.mjs';

/** The part of the API that the snippet calls. It answers 400 to anything that the API would not accept. */
let server: Server;
let revoked: string[];
let url: string;

beforeEach(async () => {
  revoked = [];
  server = createServer((request, answer) => {
    void bodyOf(request).then((body) => {
      const [status, content, cookie] = answerTo(request, body);
      if (cookie) answer.setHeader('set-cookie', cookie);
      answer.writeHead(status).end(content);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => void server.close());

function answerTo(request: IncomingMessage, body: string): [number, (string | undefined)?, string?] {
  const signedIn = request.headers.cookie === 'session=s1';
  switch (`${request.method} ${request.url}`) {
    case 'POST /v1/session':
      return body === JSON.stringify(demo) ? [204, undefined, 'session=s1; HttpOnly; SameSite=Strict; Path=/'] : [400];
    case 'POST /v1/api-keys': {
      const { name, access, expiresInDays, password } = JSON.parse(body);
      const right = access === 'read-only' && expiresInDays === 1 && password === demo.password;
      const apiKey = { id: 'id-1', name, access, prefix: 'lk_0123…', status: 'active' };
      return signedIn && right ? [201, JSON.stringify({ apiKey, fullKey: 'lk_0123.4567' })] : [400];
    }
    case 'POST /v1/api-keys/id-1/revoke':
      if (signedIn) revoked.push('lk_0123.4567');
      return signedIn ? [200, '{}'] : [401];
    case 'GET /backend/api/systems': {
      const key = /^Bearer (lk_0123\.4567)$/.exec(request.headers.authorization ?? '')?.[1];
      return key && !revoked.includes(key) ? [200, '{"systems":[]}'] : [401, '{"message":"invalid api key"}'];
    }
    default:
      return [404];
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

describe('the snippet that npm start prints', () => {
  it.each(['sh', 'bash'])('pasted into %s creates a key, uses it, revokes it and is refused', async (shell) => {
    const printed = await new Promise((resolve) => {
      const child = execFile(shell, (_, stdout, stderr) => resolve(stdout + stderr));
      child.stdin?.end(`${snippet({ latchkey: url, systemsApi: url })}\n`);
    });
    expect(printed).toBe('{"systems":[]} (200)\n{"message":"invalid api key"} (401)\n');
  });
});
