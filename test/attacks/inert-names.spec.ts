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
    await putKeys(stage.service, owner, [
      { name: OVERRIDE, createdDaysAgo: 80, expiresInDays: 3.5 },
      { name: MARKUP, createdDaysAgo: 81 },
    ]);
    const { page } = await stage.open({ owner });
    const title = await page.title();
    await page.getByText(MARKUP).waitFor();
    expect(await keyNames(page)).toEqual([OVERRIDE, MARKUP]);
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(await page.title()).toBe(title);

    // The positions of letters in the sentence after the name: still from left to right.
    const sentence = page.getByRole('listitem').filter({ hasText: OVERRIDE }).getByText('expires in 3 days');
    const lefts = await sentence.evaluate((node) => {
      const texts = node.ownerDocument.createTreeWalker(node, 4);
      let after = texts.nextNode()!;
      while (!after.nodeValue!.includes('expires')) after = texts.nextNode()!;
      const start = after.nodeValue!.indexOf('expires');
      return [0, 3, 6].map((at) => {
        const range = node.ownerDocument.createRange();
        range.setStart(after, start + at);
        range.setEnd(after, start + at + 1);
        return range.getBoundingClientRect().left;
      });
    });
    expect(lefts).toEqual([...lefts].sort((a, b) => a - b));
  });
});
