const LONGEST_MS = 5000;

/**
 * Focuses the link in a new key's row, which the list may show only in a moment. Until then, and if it does not, the
 * focus is where `fallback` puts it. It stays where the person moves it.
 */
export function focusRow(keyId: string, fallback: () => void): void {
  const link = () => document.querySelector<HTMLElement>(`a[data-key-id="${keyId}"]`);
  const found = link();
  if (found) return found.focus();
  fallback();
  const { activeElement } = document;
  const observer = new MutationObserver(() => {
    const isUnmoved = [activeElement, document.body].includes(document.activeElement);
    const shown = link();
    if (isUnmoved && !shown) return;
    observer.disconnect();
    if (isUnmoved) shown?.focus();
  });
  observer.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => observer.disconnect(), LONGEST_MS);
}
