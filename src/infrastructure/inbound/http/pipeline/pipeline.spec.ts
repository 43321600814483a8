import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import express, { type NextFunction, type Request, type Response } from 'express';
import { LatchkeyError } from '#domain/errors.js';
import { sendProblem, turnAway } from './http-errors.js';
import { refuseCrossSite } from './same-site.js';

describe('the answer to an error', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  /** What has been answered so far, in order. */
  function answersTo(...errors: Error[]) {
    const answered: unknown[] = [];
    for (const error of errors) turnAway(error).catch((refusal: unknown) => answered.push(refusal));
    return answered;
  }

  test.each(['busy', 'too_many_attempts'] as const)(
    'delays an answer that says to retry (%s) by a random time of up to half a second',
    async (code) => {
      const later = () => new LatchkeyError(code, 'later', { retryAfterSeconds: 1 });
      const [first, second] = [later(), later()];
      jest.spyOn(Math, 'random').mockReturnValueOnce(0.999).mockReturnValueOnce(0.5);
      const answered = answersTo(first, second);
      await turn();
      expect(answered).toEqual([]);
      await jest.advanceTimersByTimeAsync(250);
      expect(answered).toEqual([second]);
      await jest.advanceTimersByTimeAsync(250);
      expect(answered).toEqual([second, first]);
    },
  );

  test.each([new LatchkeyError('invalid_credentials', 'wrong'), new Error('a fault')])(
    'answers %s at once',
    async (error) => {
      const answered = answersTo(error);
      await turn();
      expect(answered).toEqual([error]);
    },
  );
});

describe('a request from a page', () => {
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
});
