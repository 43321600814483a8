import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { putKeys } from '../browser/support/rows.js';
import { keyNames } from '../browser/support/screen.js';
import { Stage } from '../browser/support/stage.js';

const MARKUP = '<img src=x onerror=document.title=1>';
const OVERRIDE = 'turned \u202Edekover';

describe('the settings screen', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.stop());

  test('shows a name as text: markup is not run, and an override does not affect the text around it', async () => {
    const owner = await stage.newOwner();
    await putKeys(stage.service, owner, [{ name: MARKUP }, { name: OVERRIDE, shown: '0123456789ab' }]);
    const { page } = await stage.open({ owner });
    const title = await page.title();
    await page.getByText(MARKUP).waitFor();
    expect(await keyNames(page)).toEqual([MARKUP, OVERRIDE]);
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(await page.title()).toBe(title);

    // The positions of the letters in the badge after the name: still from left to right.
    const badge = page.getByRole('rowheader').filter({ hasText: OVERRIDE }).getByText('Read-only');
    const lefts = await badge.evaluate((node) => {
      const letters = node.firstChild!;
      return [0, 3, 6].map((at) => {
        const range = node.ownerDocument.createRange();
        range.setStart(letters, at);
        range.setEnd(letters, at + 1);
        return range.getBoundingClientRect().left;
      });
    });
    expect(lefts).toEqual([...lefts].sort((a, b) => a - b));
  });
});
