import { useEffect, useState } from 'react';

type Dialogs = typeof import('./dialogs');

const load = () => import('./dialogs');

/**
 * The dialogs, once they are loaded: when the person first moves the pointer, touches the page or presses a key, and at
 * the latest when `isNeeded`.
 * @param onFailed called if a needed dialog could not be loaded
 */
export function useDialogs(isNeeded: boolean, onFailed: () => void): Dialogs | undefined {
  const [dialogs, setDialogs] = useState<Dialogs>();

  useEffect(() => {
    const begin = () => void load().then(setDialogs, () => undefined);
    const signs = ['pointerover', 'keydown'];
    for (const sign of signs) addEventListener(sign, begin, { once: true });
    return () => {
      for (const sign of signs) removeEventListener(sign, begin);
    };
  }, []);

  useEffect(() => {
    if (isNeeded && !dialogs) load().then(setDialogs, onFailed);
  }, [isNeeded]);
  return dialogs;
}
