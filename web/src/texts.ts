import { createContext, useContext } from 'react';
import type { english } from './texts/english/english';

/** Every text of the panel in one language. English is the model: a language that lacks a text is a type error. */
export type Texts = typeof english;

export const TextsContext = createContext<Texts | null>(null);

export function useTexts(): Texts {
  const texts = useContext(TextsContext);
  if (!texts) throw new Error('This hook works only within ApiKeysPanel');
  return texts;
}
