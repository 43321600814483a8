import { DefaultNamingStrategy, type Table } from 'typeorm';

/** The names that PostgreSQL itself would give, so that the class of a table repeats none. */
export class PostgresNames extends DefaultNamingStrategy {
  override columnName(property: string, given: string): string {
    return given || property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }

  /** TypeORM's own list of migrations keeps the name that installations have. */
  override primaryKeyName(table: Table | string, columns: string[]): string {
    const name = this.getTableName(table);
    return name === 'migrations' ? super.primaryKeyName(table, columns) : `${name}_pkey`;
  }

  override foreignKeyName(table: Table | string, columns: string[]): string {
    return `${this.getTableName(table)}_${columns.join('_')}_fkey`;
  }
}

/** To the millisecond, as JavaScript has it. */
export const TIME = { type: 'timestamptz', precision: 3 } as const;
export const TIME_OR_NULL = { ...TIME, nullable: true } as const;

/** A 64-bit number, which the driver has as text. */
export const BIGINT = {
  type: 'bigint',
  transformer: {
    from: (text: string | null) => (text === null ? null : BigInt(text)),
    to: (value: bigint | null) => value?.toString() ?? null,
  },
} as const;
