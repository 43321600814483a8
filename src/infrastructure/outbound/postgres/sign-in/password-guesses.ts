import { createHash } from 'node:crypto';
import { Any, Column, Entity, IsNull, Not, PrimaryColumn } from 'typeorm';
import { TIME, TIME_OR_NULL } from '../client/columns.js';
import type { PasswordGuesses, Requester, GuessSubject } from '#application/sign-in-ports.js';
import { attemptPassword, type ThrottleState } from '#domain/accounts/passwords.js';
import { crowdGate, CrowdReader } from '../client/crowd-reader.js';
import { NOW, type Database } from '../client/database.js';

@Entity('password_guesses')
export class PasswordGuessesRow {
  /** SHA-256 of the subject's name, because we do not store what people type into an email field. */
  @PrimaryColumn('bytea') subject!: Buffer;
  @Column('integer') failures!: number;
  @Column(TIME) lastAttemptAt!: Date;
  @Column(TIME_OR_NULL) blockedUntil!: Date | null;
  @Column(TIME_OR_NULL) succeededAt!: Date | null;
}

export class PostgresPasswordGuesses implements PasswordGuesses {
  private readonly gate = crowdGate();
  private readonly successes = new CrowdReader('password_successes', (subjects) => this.findSuccesses(subjects));

  constructor(private readonly database: Database) {}

  /** Locks the subjects' rows until all are counted, so that attempts that arrive together are counted one by one. */
  count(subjects: readonly GuessSubject[], requester?: Requester): Promise<void> {
    return this.gate.pass(() => this.countAll(subjects), requester);
  }

  async forgive([first, ...others]: readonly GuessSubject[]): Promise<void> {
    await this.database.maintain(async (manager) => {
      if (first) await manager.query(RESET, [subjectKey(first.name)]);
      for (const { name } of others) await manager.query(UNCOUNT, [subjectKey(name)]);
    });
  }

  async hasSucceeded(name: string): Promise<boolean> {
    return (await this.successes.read(subjectKey(name).toString('hex'))) === true;
  }

  private async findSuccesses(subjects: readonly string[]): Promise<Map<string, true>> {
    const rows = await this.database.run((manager) =>
      manager.findBy(PasswordGuessesRow, {
        subject: Any(subjects.map((hex) => Buffer.from(hex, 'hex'))),
        succeededAt: Not(IsNull()),
      }),
    );
    return new Map(rows.map(({ subject }) => [subject.toString('hex'), true]));
  }

  private async countAll(subjects: readonly GuessSubject[]): Promise<void> {
    await this.database.transaction(async (manager) => {
      for (const { name, freeGuesses } of subjects) {
        const subject = subjectKey(name);
        const [row] = await manager.query<(ThrottleState & { readonly now: Date })[]>(LOCK, [subject]);
        const { now, ...state } = row!;
        await manager.update(PasswordGuessesRow, { subject }, attemptPassword(freeGuesses, state, now));
      }
    });
  }
}

/** Locks the row, then reads the clock, in one statement: more round trips of a crowd would slow down validations. */
const LOCK = `
  INSERT INTO password_guesses AS known (subject, failures, last_attempt_at) VALUES ($1, 0, clock_timestamp())
  ON CONFLICT (subject) DO UPDATE SET failures = known.failures
  RETURNING failures, last_attempt_at AS "lastAttemptAt", blocked_until AS "blockedUntil",
    ${NOW} AS now`;
const RESET = `
  UPDATE password_guesses SET failures = 0, blocked_until = NULL, succeeded_at = clock_timestamp() WHERE subject = $1`;
const UNCOUNT = `
  UPDATE password_guesses SET failures = greatest(failures - 1, 0), blocked_until = NULL WHERE subject = $1`;

function subjectKey(name: string): Buffer {
  return createHash('sha256').update(name).digest();
}
