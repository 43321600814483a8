import { Text } from '@mantine/core';
import type { ApiKey } from '../api/types';
import { usedLast, type Rotation } from '../rotate/rotation';
import { useTexts } from '../texts';
import { RelativeTime } from '../ui/RelativeTime';

interface Props {
  readonly apiKey: ApiKey;
  readonly rotation: Rotation | undefined;
}

/** Marks which of two keys was used last, which shows whether the new one is in use. */
export function LastUsed({ apiKey: { id, lastUsedAt }, rotation }: Props) {
  const texts = useTexts();
  if (lastUsedAt === null) {
    return (
      <Text c="dimmed" span inherit>
        {texts.never}
      </Text>
    );
  }
  return (
    <span>
      <RelativeTime iso={lastUsedAt} isPast />
      {rotation && usedLast(rotation)?.id === id && (
        <Text c="dimmed" size="xs" span display="block" style={{ whiteSpace: 'nowrap' }}>
          {texts.rotate.pair.usedLast}
        </Text>
      )}
    </span>
  );
}
