import type { Instrument } from '#infrastructure/telemetry/instrument.js';

/** A part of the service, which may have to be opened, closed or measured. Any object is a valid part. */
interface Part {
  readonly constructor: unknown;
  /** Prepares for the first request. */
  open?(): Promise<void>;
  /** Finishes the work that is under way. */
  close?(): void | Promise<void>;
  instruments?(): readonly Instrument[];
}

/** Opens, closes and measures all registered parts, so that none can be forgotten. */
export class Parts {
  private readonly parts: readonly Part[];

  /** @param registry in the order of construction; `undefined` for a part that the settings turn off */
  constructor(registry: Readonly<Record<string, Part | undefined>>) {
    this.parts = [...new Set(Object.values(registry).filter((part) => part !== undefined))];
  }

  async open(): Promise<void> {
    await Promise.all(this.parts.map((part) => part.open?.()));
  }

  /** In reverse order, since a part may use the parts before it. */
  async close(): Promise<void> {
    for (const part of [...this.parts].reverse()) await part.close?.();
  }

  /** All at the same time, for parts that do not use each other. */
  async closeTogether(): Promise<void> {
    await Promise.all(this.parts.map((part) => part.close?.()));
  }

  instruments(): readonly Instrument[] {
    return this.parts.flatMap((part) => part.instruments?.() ?? []);
  }
}
