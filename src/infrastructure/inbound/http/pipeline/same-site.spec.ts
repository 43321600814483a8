import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import express, { type NextFunction, type Request, type Response } from 'express';
import { sendProblem } from './http-errors.js';
import { refuseCrossSite } from './same-site.js';

const app = express().use(refuseCrossSite(['https://latchkey.example'], []));
app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => sendProblem(response, error));
const server = app.listen(0, '127.0.0.1');
afterAll(() => void server.close());

test('answers a request from another site with a problem document', async () => {
  if (!server.listening) await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const answer = await fetch(url, { method: 'POST', headers: { origin: 'https://evil.example' } });
  expect([answer.status, answer.headers.get('content-type'), await answer.json()]).toEqual([
    403,
    'application/problem+json; charset=utf-8',
    {
      type: 'urn:latchkey:problem:cross-site-request',
      title: 'Cross-site request',
      status: 403,
      detail: 'Requests from other sites are refused: see PUBLIC_URL',
      code: 'cross_site_request',
    },
  ]);
});
