import type { ApiKey } from '../api/types';
import { useKey } from '../details/useKey';
import { useNow } from '../time/useNow';
import { rotationOf, type Rotation } from './rotation';

interface Found {
  readonly rotation: Rotation | undefined;
  /** False while the other key is loading. */
  readonly isKnown: boolean;
}

/** The rotation that a key is part of, with the current state of the other key. */
export function useRotation(key: ApiKey | undefined, isShown: boolean): Found {
  const [replaced, successor] = [useKey(key?.replaces, isShown), useKey(key?.replacedBy, isShown)];
  const now = useNow();
  const others = [replaced.key, successor.key].filter((other) => other !== undefined);
  return {
    rotation: key && rotationOf(key, others, now),
    isKnown: !replaced.isLoading && !successor.isLoading,
  };
}
