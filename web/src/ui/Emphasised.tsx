interface Props {
  readonly sentence: (word: string) => string;
  readonly word: string;
}

/** A language may put the word anywhere in the sentence. A character that no text contains marks the place. */
const STAND_IN = '\uE000';

export function Emphasised({ sentence, word }: Props) {
  const [before, after] = sentence(STAND_IN).split(STAND_IN);
  return (
    <>
      {before}
      <strong>
        <bdi>{word}</bdi>
      </strong>
      {after}
    </>
  );
}
