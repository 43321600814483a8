/** Where a reporter says that a key stood. For the record only: nothing looks there. */
export interface LeakSite {
  /** Who or what found it, such as `secret-scanner`. */
  readonly source: string | null;
  readonly url: string | null;
}

export const MAX_SOURCE_LENGTH = 200;
export const MAX_URL_LENGTH = 2048;
