export const environments = ['production', 'staging', 'development'] as const;
export type Environment = (typeof environments)[number];

interface System {
  readonly id: string;
  readonly name: string;
  readonly environment: Environment;
  readonly updatedAt: string;
  /** The account that made the last change. */
  readonly updatedBy: string;
}

export interface Description {
  readonly name: string;
  readonly environment: Environment;
}

/** The systems that the platform runs. Kept in memory: this is an example. */
export class Inventory {
  private readonly systems = new Map<string, System>();
  private commissioned = 0;

  /** An inventory with some systems, to start with. */
  static seeded(): Inventory {
    const inventory = new Inventory();
    inventory.commission({ name: 'billing-database', environment: 'production' }, 'seed');
    inventory.commission({ name: 'checkout-api', environment: 'production' }, 'seed');
    inventory.commission({ name: 'checkout-api', environment: 'staging' }, 'seed');
    return inventory;
  }

  list(): System[] {
    return [...this.systems.values()];
  }

  find(id: string): System | undefined {
    return this.systems.get(id);
  }

  commission(description: Description, by: string): System {
    this.commissioned += 1;
    return this.record(`sys-${this.commissioned}`, description, by);
  }

  /** Changes the given fields. Returns undefined for an unknown system. */
  change(id: string, changes: Partial<Description>, by: string): System | undefined {
    const system = this.systems.get(id);
    if (!system) return undefined;
    const { name, environment } = { ...system, ...changes };
    return this.record(id, { name, environment }, by);
  }

  /** Removes a system permanently. Returns false for an unknown one. */
  decommission(id: string): boolean {
    return this.systems.delete(id);
  }

  private record(id: string, { name, environment }: Description, by: string): System {
    const system: System = { id, name, environment, updatedAt: new Date().toISOString(), updatedBy: by };
    this.systems.set(id, system);
    return system;
  }
}
