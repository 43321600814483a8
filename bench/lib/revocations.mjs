import { createGuard } from '../../clients/node/dist/clients/node/src/index.js';
import { guardQuestion } from './proto.mjs';
import { insertDoomed } from './seed.mjs';
import { cookieOf, SERVICE_TOKEN } from './service.mjs';

const PAUSE_MS = 100;
const DOOMED = 2000;

/** The totals of all rows in a run. */
export const revocations = { revoked: 0, grantsBefore: 0, grantsAfter: 0, unanswered: 0 };

/**
 * Takes a measurement while keys of the same service are revoked, one after the other.
 * @template T
 * @param {{ databaseUrl: string, url: string, target: string }} service @param {() => Promise<T>} measure
 * @returns {Promise<T>}
 */
export async function whileRevoking(service, measure) {
  const { revokeOne, close } = await revoker(service.url, [service, service, service]);
  const doomed = await insertDoomed(service.databaseUrl, DOOMED);
  let isOver = false;
  const revokeAll = async () => {
    for (const key of doomed) {
      if (isOver) return;
      const { status, before, after } = await revokeOne(key);
      revocations.revoked += status === 200 ? 1 : 0;
      revocations.grantsBefore += before.granted > 0 ? 1 : 0;
      revocations.grantsAfter += after.granted;
      revocations.unanswered += status === 200 ? after.failed : 1;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  const revoking = revokeAll();
  try {
    return await measure();
  } finally {
    isOver = true;
    await revoking;
    close();
  }
}

/**
 * Revokes keys at one instance, and validates each before and as soon as its revocation is answered. A grant after that
 * breaks a promise.
 * @param {string} url of the instance that revokes
 * @param {readonly { target: string }[]} validators the instances that validate, once for each entry
 */
export async function revoker(url, validators) {
  const guards = validators.map(({ target }) => createGuard({ target, serviceToken: SERVICE_TOKEN, deadlineMs: 2000 }));
  const headers = { cookie: await cookieOf(url) };
  const validate = async (/** @type {string} */ key) => {
    const outcomes = { granted: 0, refused: 0, failed: 0 };
    const decisions = await Promise.all(guards.map((guard) => guard.check(guardQuestion(key))));
    for (const { allowed, status } of decisions) {
      outcomes[allowed ? 'granted' : status === 503 ? 'failed' : 'refused'] += 1;
    }
    return outcomes;
  };
  return {
    revokeOne: async (/** @type {{ id: string, key: string }} */ { id, key }) => {
      const before = await validate(key);
      const { status } = await fetch(`${url}/v1/api-keys/${id}/revoke`, { method: 'POST', headers });
      const after = status === 200 ? await validate(key) : { granted: 0, refused: 0, failed: 0 };
      return { status, before, after };
    },
    close: () => guards.forEach((guard) => guard.close()),
  };
}
