import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root } from '../../../scripts/lib/paths.mjs';

const PLACE = '\ue000';

/** Whole texts, and the fixed words of sentences with parameters. */
interface Fragments {
  readonly whole: ReadonlySet<string>;
  readonly parts: readonly string[];
}

/** The English texts that the page shows or a screen reader reads out, without those that are the same in German. */
export async function englishOn(page: Page): Promise<string[]> {
  const [english, german] = await Promise.all(['english', 'german'].map(fragmentsOf));
  const parts = english!.parts.filter((part) => !german!.parts.some((own) => own.includes(part)));
  const isEnglish = (text: string) =>
    (english!.whole.has(text) && !german!.whole.has(text)) || parts.some((part) => text.includes(part));
  return (await textsOn(page)).filter(isEnglish);
}

/** Not by name, because these files import each other as a bundler allows it. */
async function fragmentsOf(language: string): Promise<Fragments> {
  const folder = join(root, 'web/src/texts', language);
  const [{ [language]: panel }, { page }, { admin }] = await Promise.all([
    import(join(folder, `${language}.ts`)),
    import(join(folder, 'page.ts')),
    import(join(folder, 'admin.ts')),
  ]);
  const leaves = [panel, page, admin].flatMap(leavesOf);
  return {
    whole: new Set(leaves.filter((text) => !text.includes(PLACE))),
    parts: leaves
      .filter((text) => text.includes(PLACE))
      .flatMap((text) => text.split(PLACE))
      .map((part) => part.trim())
      .filter((part) => /[a-z]{2,}.*\s.*[a-z]{2,}/i.test(part)),
  };
}

function leavesOf(texts: unknown): string[] {
  if (typeof texts === 'string') return [texts];
  if (typeof texts === 'function') return [String(texts(...Array.from({ length: texts.length }, () => PLACE)))];
  return Object.values(texts as object).flatMap(leavesOf);
}

/** What is in the page, also in attributes. */
function textsOn(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const found = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) if (!walker.currentNode.parentElement.closest('script, style, noscript')) found.push(walker.currentNode.data);
    for (const name of ['aria-label', 'aria-description', 'aria-valuetext', 'placeholder', 'title', 'alt']) {
      for (const element of document.querySelectorAll('[' + name + ']')) found.push(element.getAttribute(name));
    }
    return found.map((text) => text.trim()).filter((text) => text !== '');
  })()`);
}
