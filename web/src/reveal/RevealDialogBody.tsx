import type { CreatedKey } from '../api/types';
import { EarlyClose } from './EarlyClose';
import { RevealKey } from './RevealKey';
import type { Secret } from './useSecret';

interface Props {
  readonly created: CreatedKey;
  readonly secret: Secret;
  readonly onDone: () => void;
  /** What to do with the key, if the form does not say it. */
  readonly advice?: string;
}

export function RevealDialogBody({ created, secret, onDone, advice }: Props) {
  if (secret.isAsking) return <EarlyClose onStay={secret.stay} onLeave={onDone} />;
  return (
    <RevealKey
      created={created}
      isStored={secret.isStored}
      onStored={secret.setStored}
      onDone={onDone}
      advice={advice}
    />
  );
}
