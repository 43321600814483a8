import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { unknownKey } from '../support/callers/key-strings.js';
import { CALL_TIMEOUT_MS } from '../support/processes/timeouts.mjs';
import { newOwner } from '../support/callers/owners.js';
import { type Service, startService } from '../support/processes/service.js';

describe('the Python guard', () => {
  /** Asks about each line, "method permission key", and prints the status, the owner, and whether a lease was enough. */
  const PROGRAM = `
import sys
from latchkey_guard import Granted, Guard, Hooks, Request
sources = []
hooks = Hooks(on_decision=lambda decided: sources.append(decided.source))
guard = Guard(sys.argv[1], "dev-validator-token", deadline_ms=${CALL_TIMEOUT_MS}, leases=True, hooks=hooks)
for line in sys.stdin:
    method, permission, key = line.split()
    decision = guard.protect(Request(method, [("authorization", f"Bearer {key}")], peer="192.0.2.7"), permission)
    owner = decision.principal.owner_id if isinstance(decision, Granted) else decision.reason
    print(decision.status, owner, sources[-1], flush=True)
guard.close()
`;

  let service: Service;
  let guard: ReturnType<typeof spawn>;
  let lines: AsyncIterator<string>;
  let reader: Interface;
  beforeAll(async () => {
    service = await startService({ LEASE_MS: '2000' });
    const env = { ...process.env, PYTHONPATH: join(root, 'clients/python/src'), PYTHONDONTWRITEBYTECODE: '1' };
    const args = ['-c', PROGRAM, service.servicesUrl];
    guard = spawn('python3', args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    reader = createInterface({ input: guard.stdout! });
    lines = reader[Symbol.asyncIterator]();
  });
  afterAll(async () => {
    guard.stdin!.end();
    reader.close();
    await service.stop();
  });

  const ask = async (method: string, permission: string, key: string): Promise<string> => {
    guard.stdin!.write(`${method} ${permission} ${key}\n`);
    return (await lines.next()).value as string;
  };

  test('decides as the service does, and refuses a key from the moment that its revocation is answered', async () => {
    const { id, person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey({ access: 'read-only' });
    expect(await ask('GET', 'systems:read', fullKey)).toBe(`200 ${id} service`);
    // A busy machine may take longer than the lease lasts.
    const answers = [];
    do answers.push(await ask('GET', 'systems/42:read', fullKey));
    while (answers.at(-1) !== `200 ${id} lease` && answers.length < 50);
    expect(answers.at(-1)).toBe(`200 ${id} lease`);
    expect(await ask('POST', 'systems:write', fullKey)).toBe('403 READ_ONLY_KEY service');
    expect(await ask('GET', 'systems:read', unknownKey())).toBe('401 INVALID_KEY service');
    expect((await person.call('POST', `/v1/api-keys/${apiKey.id}/revoke`, {})).status).toBe(200);
    expect(await ask('GET', 'systems:read', fullKey)).toBe('401 REVOKED service');
  });
});
