import { createContext, useContext } from 'react';
import { english } from './texts/english/english';

/** Every word of the panel in one language. English is the model: a language that lacks a text is a type error. */
export type Texts = typeof english;

export const TextsContext = createContext<Texts>(english);

export const useTexts = (): Texts => useContext(TextsContext);
