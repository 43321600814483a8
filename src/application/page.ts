export interface PageRequest {
  /** 1 to 50 */
  readonly limit: number;
  /** As the page before answered it. */
  readonly cursor?: string | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}
