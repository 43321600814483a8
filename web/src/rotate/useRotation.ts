import type { ApiKey } from '../api/types';
import { useKey } from '../details/useKey';
import { useNow } from '../time/useNow';
import { rotationOf, type Rotation } from './rotation';

interface Found {
  readonly rotation: Rotation | undefined;
  /** Unset while the other key is still asked for. */
  readonly isKnown: boolean;
}

/** What a key is part of, by the other key as it is now. */
export function useRotation(key: ApiKey | undefined, isShown: boolean): Found {
  const [replaced, successor] = [useKey(key?.replaces, isShown), useKey(key?.replacedBy, isShown)];
  const now = useNow();
  const others = [replaced.key, successor.key].filter((other) => other !== undefined);
  return {
    rotation: key && rotationOf(key, others, now),
    isKnown: !replaced.isAsking && !successor.isAsking,
  };
}
