import { parse } from 'csv-parse/sync';
import { run } from '../../../scripts/lib/run.mjs';
import { KEY_COLUMNS } from '#infrastructure/inbound/cli/keys/import-keys.js';
import { snippetOf } from '#test/support/reading/pages.js';

export const PAGE = 'docs/migrate.md';

/** A line of an exported file, as the columns of docs/cli.md have it. */
export type ExportedRow = Readonly<Record<(typeof KEY_COLUMNS)[number], string>>;

/** The page's query under a heading, run as the page says. @returns the file that it writes */
export async function exportFrom(url: string, heading: string): Promise<string> {
  const query = snippetOf(PAGE, heading, 'sql');
  const { code, output } = await run('psql', [url, '--no-psqlrc', '--csv', '--file', '-'], { input: query });
  if (code !== 0) throw new Error(output);
  return output;
}

export const rowsOf = (csv: string): ExportedRow[] => parse(csv, { columns: true });

/** Days from now, rounded. */
export const daysUntil = (time: string) => Math.round((Date.parse(time) - Date.now()) / 86_400_000);
