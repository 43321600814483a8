import type { Instrument } from '../infrastructure/telemetry/instrument.js';

/** What a part of the service may have: a life of its own, and something to count. Any object is one. */
interface Part {
  readonly constructor: unknown;
  /** Gets ready for the first request. */
  open?(): Promise<void>;
  /** Finishes what is under way. */
  close?(): void | Promise<void>;
  instruments?(): readonly Instrument[];
}

/** Parts by their names, `undefined` where a setting leaves one out. */
export type Registry = Readonly<Record<string, Part | undefined>>;

/** Opens, closes and measures parts because they are registered, so that none can be forgotten. */
export class Parts {
  private readonly parts: readonly Part[];

  /** @param registry in the order in which they are built */
  constructor(registry: Registry) {
    this.parts = [...new Set(Object.values(registry).filter((part) => part !== undefined))];
  }

  async open(): Promise<void> {
    await Promise.all(this.parts.map((part) => part.open?.()));
  }

  /** One after the other, since what comes later may use what came before. */
  async close(): Promise<void> {
    for (const part of [...this.parts].reverse()) await part.close?.();
  }

  /** At the same time, for parts that know nothing of each other. */
  async closeTogether(): Promise<void> {
    await Promise.all(this.parts.map((part) => part.close?.()));
  }

  instruments(): readonly Instrument[] {
    return this.parts.flatMap((part) => part.instruments?.() ?? []);
  }
}
