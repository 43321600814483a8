import { useEffect, useState } from 'react';

const SHOWN_MS = 4000;

/** Copies to the clipboard, and says for a moment that it did, or that the browser can't (plain http, a policy). */
export function useCopy() {
  const [outcome, setOutcome] = useState<'copied' | 'blocked'>();
  const isCopied = outcome === 'copied';
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (text: string): Promise<boolean> => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      setOutcome('blocked');
      return false;
    }
    setOutcome('copied');
    return true;
  };
  return { isCopied, isBlocked: outcome === 'blocked', copy, showCopied: () => setOutcome('copied') };
}
