/** What `latchkey doctor` reads of PostgreSQL, in any state. Ages are in seconds. */
export interface ExaminedDatabase {
  readonly role: string;
  readonly database: string;
  readonly version: string;
  /** Milliseconds by which PostgreSQL's clock is ahead of this machine's. */
  readonly clockAheadMs: number;
  /** What the role may not do, and the service does: `INSERT on instances`. */
  readonly lacking: readonly string[];
  /** Hosted databases become so when their disk is full. */
  readonly isReadOnly: boolean;
  /** Whether commits wait for a standby. */
  readonly isSynchronous: boolean;
  readonly missingMigrations: readonly string[];
  /** What to do about tables that this release can't migrate. */
  readonly tooOld?: string | undefined;
  /** Undefined where the tables are older than this release. */
  readonly tables?: ExaminedTables | undefined;
}

/** Processes of one kind that served within the last 15 minutes. */
export interface Serving {
  readonly version: string;
  readonly leaseMs: number;
  readonly count: number;
}

export interface ExaminedTables {
  readonly instances: readonly Serving[];
  readonly unsealedEvents: number;
  readonly oldestUnsealedSeconds: number | null;
  readonly waitingNotices: number;
  readonly failedNotices: number;
  /** Those of the waiting that are late because their receiver did not accept them. */
  readonly refusedNotices: number;
  /** How long the notice waits that is due the longest. */
  readonly overdueNoticeSeconds: number | null;
  /** How long an end of a key is due that no process has recorded. */
  readonly overdueEndSeconds: number | null;
  readonly waitingLeakReports: number;
}

export interface ExaminedRedis {
  readonly version: string;
  readonly clockAheadMs: number;
}
