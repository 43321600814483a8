import type { Page } from 'playwright-core';

/** Everything that a page can have stored. */
export async function tracesOf(page: Page): Promise<Record<string, string>> {
  const kept = await page.evaluate<Record<string, string>>(`(async () => {
    const databases = await indexedDB.databases();
    return {
      url: location.href,
      historyState: JSON.stringify(history.state),
      windowName: window.name,
      localStorage: JSON.stringify({ ...localStorage }),
      sessionStorage: JSON.stringify({ ...sessionStorage }),
      indexedDB: JSON.stringify(databases),
      caches: JSON.stringify(await caches.keys()),
      serviceWorkers: JSON.stringify((await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope)),
      fields: JSON.stringify([...document.querySelectorAll('input, textarea')].map(({ value }) => value)),
      selection: String(getSelection()),
      title: document.title,
      document: document.documentElement.outerHTML,
    };
  })()`);
  return { ...kept, cookies: JSON.stringify(await page.context().cookies()) };
}

/** The places that contain the secret part of the key. */
export async function placesOf(page: Page, fullKey: string): Promise<string[]> {
  const secret = fullKey.slice(fullKey.indexOf('.') + 1);
  const traces = await tracesOf(page);
  return Object.keys(traces).filter((place) => traces[place]!.includes(secret));
}
