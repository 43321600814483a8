import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { latchkey } from '#test/support/processes/command-line.js';
import { startService, type Service } from '#test/support/processes/service.js';
import { buildService } from '#test/support/processes/service-process.js';

/** The prefix of the queries in docs/migrate.md. */
const PREFIX = 'acme_';

/** A service that exported keys are imported into, by the command line. */
export class NewHome {
  private readonly folder = mkdtempSync(join(tmpdir(), 'moved-'));

  private constructor(readonly service: Service) {}

  static async open(): Promise<NewHome> {
    await buildService();
    return new NewHome(await startService({ IMPORT_PREFIXES: PREFIX }));
  }

  /** @returns the counts that the command prints */
  async import(exported: string, extension: 'csv' | 'jsonl') {
    const file = join(this.folder, `keys.${extension}`);
    writeFileSync(file, exported);
    const env = { DATABASE_URL: this.service.databaseUrl, IMPORT_PREFIXES: PREFIX };
    const { out, err } = await latchkey(['keys', 'import', file, '--json'], { env });
    if (err !== '') throw new Error(err);
    return JSON.parse(out) as { imported: number; alreadyThere: number; refused: number; refusedLines: object[] };
  }

  /** @returns the owner and permissions of a grant, or the reason of a denial */
  async verdictOn(text: string, clientIp = ''): Promise<{ ownerId: string; permissions: string[] } | string> {
    const { grant, denial } = await this.service.clients.validate(text, { clientIp });
    return grant ? { ownerId: grant.ownerId, permissions: grant.permissions } : denial!.reason;
  }

  async close(): Promise<void> {
    await this.service.stop();
    rmSync(this.folder, { recursive: true });
  }
}
