import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface AxeResult {
  /** Rule and elements. */
  readonly violations: string[];
  /** Rules that at least one element fulfilled. */
  readonly kept: number;
}

/** All rules of axe-core, best practices included. */
export async function axe(page: Page): Promise<AxeResult> {
  await settle(page);
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(SOURCE);
  return page.evaluate<AxeResult>(`axe.run(document).then(({ violations, passes }) => ({
    violations: violations.map(({ id, nodes }) =>
      id + ': ' + nodes.map(({ target, failureSummary }) => target.join(' ') + ' ' + failureSummary).join('; ')),
    kept: passes.length,
  }))`);
}

/** Waits until everything has faded in or out, and then what inherits its colour from that. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const running = () => document.getAnimations()
      .filter((animation) => animation.playState === 'running' && animation.effect.getComputedTiming().endTime !== Infinity);
    for (let now = running(); now.length > 0; now = running()) {
      await Promise.all(now.map((animation) => animation.finished.catch(() => undefined)));
    }
  })()`);
}
