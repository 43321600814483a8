import { describe, expect, it } from '@jest/globals';
import { Inventory } from './inventory.js';

const description = { name: 'mailer', environment: 'staging' } as const;

describe('Inventory', () => {
  it('has some systems at the start', () => expect(Inventory.seeded().list().length).toBeGreaterThan(1));

  it('commissions a system and records by whom', () => {
    const inventory = new Inventory();
    const system = inventory.commission(description, 'owner-1');
    expect(system).toMatchObject({ ...description, updatedBy: 'owner-1' });
    expect(inventory.find(system.id)).toEqual(system);
  });

  it('changes only the given fields and records by whom', () => {
    const inventory = new Inventory();
    const { id } = inventory.commission(description, 'owner-1');
    expect(inventory.change(id, { name: 'postman' }, 'owner-2')).toMatchObject({
      name: 'postman',
      environment: 'staging',
      updatedBy: 'owner-2',
    });
    expect(inventory.change('sys-404', {}, 'owner-2')).toBeUndefined();
  });

  it('decommissions permanently and never reuses an id', () => {
    const inventory = new Inventory();
    const { id } = inventory.commission(description, 'owner-1');
    expect(inventory.decommission(id)).toBe(true);
    expect(inventory.decommission(id)).toBe(false);
    expect(inventory.find(id)).toBeUndefined();
    expect(inventory.commission(description, 'owner-1').id).not.toBe(id);
  });
});
