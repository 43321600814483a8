import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root } from '../../../scripts/lib/paths.mjs';
import { settle } from './axe.js';

/** For README. A run takes what is missing, and all of them anew with LATCHKEY_SCREENSHOTS=1. */
export async function shoot(page: Page, name: string): Promise<void> {
  const path = join(root, 'docs/img', `${name}.png`);
  if (existsSync(path) && process.env['LATCHKEY_SCREENSHOTS'] !== '1') return;
  await settle(page);
  await page.screenshot({ path, caret: 'hide' });
}
