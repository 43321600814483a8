import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityFor } from '../../scripts/postgres/place.mjs';
import { sql } from '../support/stores/sql.js';

const TABLES = ['audit_events', 'api_keys', 'api_key_usage'];

/**
 * Fills the disk with the service's tables. As root this is a real disk of a few megabytes. Other users may not mount
 * one, so for them PostgreSQL is made to raise the same error.
 */
export class SmallDisk {
  private constructor(
    private readonly url: string,
    private readonly folder: string | undefined,
  ) {}

  static async under(url: string): Promise<SmallDisk> {
    if (process.getuid?.() !== 0) return new SmallDisk(url, undefined);
    const folder = mkdtempSync(join(tmpdir(), 'small-disk-'));
    chmodSync(folder, 0o711);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'latchkey-test', folder]);
    chmodSync(folder, 0o711);
    const place = join(folder, 'tables');
    mkdirSync(place);
    const { uid, gid } = identityFor(place);
    if (uid !== undefined && gid !== undefined) chownSync(place, uid, gid);
    await sql(url, `CREATE TABLESPACE small LOCATION '${place}'`);
    for (const table of TABLES) await sql(url, `ALTER TABLE ${table} SET TABLESPACE small`);
    return new SmallDisk(url, folder);
  }

  async fill(): Promise<void> {
    if (this.folder) {
      const { bavail, bsize } = statfsSync(this.folder);
      writeFileSync(join(this.folder, 'filling'), Buffer.alloc(bavail * bsize));
      return;
    }
    await sql(
      this.url,
      `CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$`,
    );
    for (const table of TABLES) {
      await sql(this.url, `CREATE TRIGGER full_disk BEFORE INSERT ON ${table} EXECUTE FUNCTION disk_full()`);
    }
  }

  async makeRoom(): Promise<void> {
    if (this.folder) rmSync(join(this.folder, 'filling'));
    else await sql(this.url, 'DROP FUNCTION IF EXISTS disk_full CASCADE');
  }

  /** To be called after PostgreSQL has ended. */
  remove(): void {
    if (!this.folder) return;
    execFileSync('umount', [this.folder]);
    rmSync(this.folder, { recursive: true });
  }
}
