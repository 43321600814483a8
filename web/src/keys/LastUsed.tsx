import { Text } from '@mantine/core';
import type { ApiKey } from '../api/types';
import { usedLast, type Rotation } from '../rotate/rotation';
import { useTexts } from '../texts';
import { RelativeTime } from '../ui/RelativeTime';

interface Props {
  readonly apiKey: ApiKey;
  readonly rotation: Rotation | undefined;
}

/** Of two keys it says, too, which was used last: so it shows whether the new one has taken over. */
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
