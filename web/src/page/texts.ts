import { createContext, useContext } from 'react';
import type { page } from '../texts/english/page';

/** Every text of the page around the panel. English is the model: a language that lacks a text is a type error. */
export type PageTexts = typeof page;

export const PageTextsContext = createContext<PageTexts | null>(null);

export function usePageTexts(): PageTexts {
  const texts = useContext(PageTextsContext);
  if (!texts) throw new Error('This hook works only within the page');
  return texts;
}
