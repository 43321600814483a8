import type { ReactNode } from 'react';

interface Props {
  readonly sentence: (word: string) => string;
  readonly word: ReactNode;
}

/** A language may put the word anywhere in the sentence. A character that no text contains marks the place. */
const STAND_IN = '\uE000';

/** A sentence in which one word is a link, or has its own direction. */
export function Emphasised({ sentence, word }: Props) {
  const [before, after] = sentence(STAND_IN).split(STAND_IN);
  return (
    <>
      {before}
      {word}
      {after}
    </>
  );
}
