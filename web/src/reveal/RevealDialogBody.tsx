import type { CreatedKey } from '../api/types';
import { EarlyClose } from './EarlyClose';
import { RevealKey } from './RevealKey';
import type { Secret } from './useSecret';

interface Props {
  readonly created: CreatedKey;
  readonly secret: Secret;
  readonly onDone: () => void;
  /** Set where another step follows. */
  readonly doneLabel?: string;
  /** Called when the person closes early; default: `onDone`. */
  readonly onLeave?: () => void;
}

export function RevealDialogBody({ created, secret, onDone, doneLabel, onLeave = onDone }: Props) {
  if (secret.isAsking) return <EarlyClose onStay={secret.stay} onLeave={onLeave} />;
  return (
    <RevealKey
      created={created}
      isStored={secret.isStored}
      onStored={secret.setStored}
      onDone={onDone}
      {...(doneLabel !== undefined && { doneLabel })}
    />
  );
}
