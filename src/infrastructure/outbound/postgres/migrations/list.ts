import { readdirSync } from 'node:fs';
import type { MigrationInterface } from 'typeorm';

/** All migrations in this folder, in the order in which they are applied. */
export const MIGRATIONS = await Promise.all(
  readdirSync(new URL('.', import.meta.url))
    .filter((file) => /^\d{13}-.+(?<!\.d)\.[jt]s$/.test(file))
    .toSorted()
    .map(async (file) => {
      const [migration] = Object.values((await import(`./${file}`)) as Record<string, new () => MigrationInterface>);
      return migration!;
    }),
);
