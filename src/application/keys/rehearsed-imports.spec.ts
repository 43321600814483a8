import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openFakes } from '../../../test/fakes/fake-application.js';
import { fakeKeyImports } from '../../../test/fakes/keys/fake-key-imports.js';
import { client, newOwner, SERVICE_POLICY } from '../../../test/support/application/calls.js';
import { DAY_MS } from '../../domain/time.js';
import { ImportKeys } from './import-keys.js';
import { rehearsedImports } from './rehearsed-imports.js';

const ACTOR = { actorId: 'admin:ada', client: client() };

const lineOf = (app: ReturnType<typeof openFakes>, text: string, ownerId: string) => ({
  ownerId,
  name: 'ci',
  access: 'read-and-write',
  sha256: createHash('sha256').update(text).digest(),
  displayPrefix: 'acme_1',
  expiresAt: new Date(app.store.now().getTime() + DAY_MS),
  permissions: ['*'],
  allowedNetworks: [],
});

test('counts the keys of an owner over all batches of a dry run', async () => {
  const app = openFakes();
  const { id: ownerId } = await newOwner(app);
  const rules = { importPrefixes: ['acme_'], policy: SERVICE_POLICY, marker: 'lk' };
  const rehearsal = new ImportKeys(rehearsedImports(fakeKeyImports(app.store)), rules);
  const outcomes = [];
  for (let batch = 0; batch < 3; batch += 1) {
    const lines = [1, 2].map((line) => lineOf(app, `${batch}.${line}`, ownerId));
    outcomes.push(...(await rehearsal.execute(lines, ACTOR)));
  }
  expect(outcomes.slice(4)).toMatchObject([{ isNew: true }, { aboveLimit: { activeKeys: 6, maxActiveKeys: 5 } }]);
  expect(outcomes.filter((outcome) => 'aboveLimit' in outcome)).toHaveLength(1);
  expect(app.store.keys.size).toBe(0);
});

test('has the outcomes of the import, and stores nothing', async () => {
  const app = openFakes();
  const { id: ownerId } = await newOwner(app);
  const rules = { importPrefixes: ['acme_'], policy: SERVICE_POLICY, marker: 'lk' };
  const imports = fakeKeyImports(app.store);
  const [really, rehearsal] = [imports, rehearsedImports(imports)].map((each) => new ImportKeys(each, rules));
  const lines = [lineOf(app, 'one', ownerId), lineOf(app, 'two', ownerId), lineOf(app, 'three', 'nobody')];
  await really!.execute([lines[0]!], ACTOR);
  const stored = () => [app.store.keys.size, app.store.events.length, app.store.outbox.size];
  const before = stored();
  const outcomes = await rehearsal!.execute(lines, ACTOR);
  expect(outcomes).toMatchObject([
    { isNew: false },
    { isNew: true },
    { refused: { message: 'no account has this owner_id' } },
  ]);
  expect(stored()).toEqual(before);
});
