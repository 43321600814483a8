import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root } from '../../../scripts/lib/paths.mjs';
import { settle } from './axe.js';

/** Pictures for README. A run takes the missing ones; with LATCHKEY_SCREENSHOTS=1 it takes all of them again. */
export async function shoot(page: Page, name: string, size = page.viewportSize()!): Promise<void> {
  const path = join(root, 'docs/img', `${name}.png`);
  if (existsSync(path) && process.env['LATCHKEY_SCREENSHOTS'] !== '1') return;
  const before = page.viewportSize()!;
  await page.setViewportSize(size);
  // Nothing is under the pointer.
  await page.mouse.move(0, 0);
  await settle(page);
  await page.screenshot({ path, caret: 'hide' });
  await page.setViewportSize(before);
}
