import { useEffect, useState, type RefObject } from 'react';

const SHOWN_MS = 4000;

/** If the clipboard cannot be used (plain http, a policy, a refusal), the text stays selected. */
export function useCopy(text: string, box: RefObject<HTMLElement | null>) {
  const [outcome, setOutcome] = useState<'copied' | 'selected'>();

  useEffect(() => {
    if (outcome !== 'copied') return undefined;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome('copied');
    } catch {
      box.current?.focus();
      if (box.current) selectText(box.current);
      setOutcome('selected');
    }
  };
  return { outcome, copy };
}

export function selectText(element: HTMLElement): void {
  getSelection()?.selectAllChildren(element);
}
