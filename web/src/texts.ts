import { createContext, useContext, type Context } from 'react';
import type { AdminTexts } from './texts/english/admin';
import type { Texts } from './texts/english/english';
import type { PageTexts } from './texts/english/page';

/** Every text of the panel, of the page around it, and of administrators. A language that lacks a text is a type error. */
export type { AdminTexts, PageTexts, Texts };

export const TextsContext = createContext<Texts | null>(null);
export const PageTextsContext = createContext<PageTexts | null>(null);

export const useTexts = (): Texts => useTextsOf(TextsContext);
export const usePageTexts = (): PageTexts => useTextsOf(PageTextsContext);

export function useTextsOf<T>(context: Context<T | null>): T {
  const texts = useContext(context);
  if (!texts) throw new Error('No texts here');
  return texts;
}
