import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openFakes } from '../../../test/fakes/fake-application.js';
import { fakeKeyImports } from '../../../test/fakes/keys/fake-key-imports.js';
import { client, newOwner, SERVICE_POLICY } from '../../../test/support/application/calls.js';
import { DAY_MS } from '../../domain/time.js';
import { ImportKeys } from './import-keys.js';
import { rehearsedImports } from './rehearsed-imports.js';

test('has the outcomes of the import, and stores nothing', async () => {
  const app = openFakes();
  const { id: ownerId } = await newOwner(app);
  const rules = { importPrefixes: ['acme_'], policy: SERVICE_POLICY, marker: 'lk' };
  const imports = fakeKeyImports(app.store);
  const [really, rehearsal] = [imports, rehearsedImports(imports)].map((each) => new ImportKeys(each, rules));
  const lineOf = (text: string, owner = ownerId) => ({
    ownerId: owner,
    name: 'ci',
    access: 'read-and-write',
    sha256: createHash('sha256').update(text).digest(),
    displayPrefix: 'acme_1',
    expiresAt: new Date(app.store.now().getTime() + DAY_MS),
    permissions: ['*'],
    allowedNetworks: [],
  });
  const actor = { actorId: 'admin:ada', client: client() };
  const lines = [lineOf('one'), lineOf('two'), lineOf('three', 'nobody')];
  await really!.execute([lines[0]!], actor);
  const stored = () => [app.store.keys.size, app.store.events.length, app.store.outbox.size];
  const before = stored();
  const outcomes = await rehearsal!.execute(lines, actor);
  expect(outcomes).toMatchObject([
    { isNew: false },
    { isNew: true },
    { refused: { message: 'no account has this owner_id' } },
  ]);
  expect(stored()).toEqual(before);
});
