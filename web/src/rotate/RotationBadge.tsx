import { Badge } from '@mantine/core';
import type { ApiKey } from '../api/types';
import { useTexts } from '../texts';
import classes from './rotate.module.css';
import type { Rotation } from './rotation';

interface Props {
  readonly id: string;
  readonly apiKey: ApiKey;
  readonly rotation: Rotation;
}

/** Marks a key as the old or the new one. */
export function RotationBadge({ id, apiKey, rotation }: Props) {
  const { pair } = useTexts().rotate;
  return (
    <Badge id={id} size="sm" radius="sm" variant="light" className={classes.badge} tt="none" fw={600}>
      {apiKey.id === rotation.old.id ? pair.old : pair.next}
    </Badge>
  );
}
