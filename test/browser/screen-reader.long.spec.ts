import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { putKeys } from './support/rows.js';
import { createKey, revealDialog, row, showDetails } from './support/screen.js';
import { Stage } from './support/stage.js';

const DAY_MS = 86_400_000;
const dayBefore = (days: number) =>
  new Date(Date.now() - days * DAY_MS).toLocaleDateString('en-US', {
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  });

describe('a screen reader', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('reads a row with its access, use and end, and the chart of a key with the numbers of a day', async () => {
    const owner = await stage.newOwner();
    const use = [
      { daysAgo: 2, granted: 1250, refused: 0 },
      { daysAgo: 1, granted: 40, refused: 3 },
    ];
    await putKeys(stage.service, owner, [
      { name: 'CI deploy', note: 'Deploys the shop', usedMinutesAgo: 3.2 * 60, shown: '7c1f4e0a9b2d', use },
    ]);
    const { page } = await stage.open({ owner });
    const key = row(page, 'CI deploy');
    await key.waitFor();
    const spark = `Last 30 days: 1,290 accepted, 3 rejected; last on ${dayBefore(1)}`;
    const name = 'CI deploy lk_7c1f4e0a9b2d… Deploys the shop';
    const address = await key.getByRole('link').getAttribute('href');
    expect(await key.ariaSnapshot()).toBe(`\
- 'row "${name} Read-only ${spark} 3 hours ago in 3 months Actions for CI deploy"':
  - rowheader "${name}":
    - link "CI deploy":
      - /url: "${address}"
    - code: lk_7c1f4e0a9b2d…
    - text: Deploys the shop
  - cell "Read-only"
  - 'cell "${spark}"':
    - 'img "${spark}"'
  - cell "3 hours ago":
    - time: 3 hours ago
  - cell "in 3 months":
    - time: in 3 months
  - cell "Actions for CI deploy":
    - button "Actions for CI deploy"`);

    const details = await showDetails(page, 'CI deploy');
    const chart = details.getByRole('slider');
    await chart.focus();
    await page.keyboard.press('ArrowLeft');
    expect(await chart.getAttribute('aria-valuetext')).toBe(`${dayBefore(1)}: 40 accepted, 3 rejected`);
    expect(await chart.getAttribute('aria-label')).toBe('Requests per day, last 90 days');
    const totals = details.locator(`[id="${await chart.getAttribute('aria-describedby')}"]`);
    expect((await totals.innerText()).split('\n')).toEqual(['1,290 accepted', '3 rejected']);
  });

  test('reads that a new key waits for its first request, and where that came from', async () => {
    const { page } = await stage.open();
    const fullKey = await createKey(page);
    const live = revealDialog(page).getByRole('status').last();
    await eventually(async () => (await live.ariaSnapshot()) === '- status: Waiting for the first request…');
    await stage.service.clients.validate(fullKey, { clientIp: '203.0.113.7' });
    const accepted = '- status: Accepted from 203.0.113.7 via dev-validator';
    await eventually(async () => (await live.ariaSnapshot()) === accepted);
  });
});
