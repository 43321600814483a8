import { describe, expect, test } from '@jest/globals';
import { openFakes } from '../../../test/fakes/fake-application.js';
import { client, createKey, newOwner, outcomeOf, themselves } from '../../../test/support/application/calls.js';
import { eventsOf, runOut } from '../../../test/support/application/stored.js';
import type { Renaming } from '../../domain/keys/key-state.js';

const app = openFakes();

const rename = (ownerId: string, keyId: string, renaming: Renaming, from = client()) =>
  app.renameApiKey.execute(themselves(ownerId), keyId, renaming, from);
const renamings = (ownerId: string) => eventsOf(app, ownerId, 'api_key.renamed');
const detailsOf = (ownerId: string) => renamings(ownerId).map(({ details }) => JSON.parse(details!) as object);

async function ownerWithKey() {
  const { id } = await newOwner(app);
  const { key } = await createKey(app, id, { name: 'CI', note: 'Deploys' });
  return { id, keyId: key.id };
}

describe('RenameApiKey', () => {
  test('changes the name and the note, and records what they were before', async () => {
    const { id, keyId } = await ownerWithKey();
    const from = client('203.0.113.9');
    const { key } = await rename(id, keyId, { name: ' Release ', note: 'Publishes' }, from);
    expect(key.snapshot()).toMatchObject({ name: 'Release', note: 'Publishes' });
    expect(app.store.keys.get(keyId)!.state).toEqual(key.snapshot());
    expect(renamings(id)).toMatchObject([{ keyId, actorId: id, clientIp: from.ip, requestId: from.requestId }]);
    expect(detailsOf(id)).toEqual([
      { name: 'Release', note: 'Publishes', previousName: 'CI', previousNote: 'Deploys' },
    ]);
  });

  test('keeps what is not sent, and takes an empty note for none', async () => {
    const { id, keyId } = await ownerWithKey();
    const labels = async (renaming: Renaming) => {
      const { name, note } = (await rename(id, keyId, renaming)).key.snapshot();
      return [name, note];
    };
    expect(await labels({ name: 'Release' })).toEqual(['Release', 'Deploys']);
    expect(await labels({ note: ' ' })).toEqual(['Release', null]);
  });

  test('records nothing when nothing changes', async () => {
    const { id, keyId } = await ownerWithKey();
    expect((await rename(id, keyId, { name: 'CI ', note: 'Deploys' })).key.snapshot().name).toBe('CI');
    expect(renamings(id)).toEqual([]);
  });

  test('refuses a call without any field, and an invalid name or note', async () => {
    const { id, keyId } = await ownerWithKey();
    await expect(rename(id, keyId, {})).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'Send a name, a note or both',
    });
    await expect(rename(id, keyId, { name: '', note: 'a\nb' })).rejects.toMatchObject({
      details: { errors: [{ field: 'name' }, { field: 'note' }] },
    });
    expect(renamings(id)).toEqual([]);
  });

  test('renames an ended key, and records an end that is due first', async () => {
    const { id, keyId } = await ownerWithKey();
    runOut(app, keyId);
    const { key, now } = await rename(id, keyId, { name: 'Old laptop' });
    expect([key.status(now), key.snapshot().name]).toEqual(['expired', 'Old laptop']);
    expect(eventsOf(app, id, 'api_key.').map(({ type }) => type)).toEqual([
      'api_key.created',
      'api_key.expired',
      'api_key.renamed',
    ]);
    expect((await rename(id, keyId, { name: 'Older laptop' })).key.snapshot().name).toBe('Older laptop');
  });

  test('changes neither another owner’s key nor one of an owner who is suspended', async () => {
    const { id, keyId } = await ownerWithKey();
    const other = await newOwner(app);
    expect(await outcomeOf(rename(other.id, keyId, { name: 'Mine' }))).toBe('not_found');
    await app.changeAccountStatus.suspend(id);
    expect(await outcomeOf(rename(id, keyId, { name: 'Mine' }))).toBe('unauthenticated');
    expect(app.store.keys.get(keyId)!.state.name).toBe('CI');
  });
});
