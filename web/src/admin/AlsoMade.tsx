import { Button, Group, Text } from '@mantine/core';
import { nameOf, usePanel } from '../base/context';
import { useAdminTexts } from './texts';
import { useMadeBy } from './useAllKeys';

interface Props {
  /** The account whose keys are listed. Undefined: all. */
  readonly owner: string | undefined;
  /** Whether it may be a person's. False until its keys are listed. */
  readonly isPerson: boolean;
  readonly onShow: () => void;
}

/** Says that a person knows more keys than their own: those that they made for service accounts. */
export function AlsoMade({ owner, isPerson, onShow }: Props) {
  const admin = useAdminTexts();
  const { focusHeading } = usePanel();
  const { made, isError } = useMadeBy(owner, isPerson);
  const others = made?.items.filter((key) => key.owner.id !== owner) ?? [];
  const mayBeMore = isError || (made !== undefined && made.nextCursor !== null);
  if (others.length === 0 && !mayBeMore) return null;
  const maker = made?.items[0]?.createdBy;
  const text = admin.alsoMade(maker ? nameOf(maker) : owner!, mayBeMore ? undefined : others.length);
  return (
    <Group gap="sm">
      <Text size="sm">{text}</Text>
      <Button
        size="xs"
        variant="default"
        aria-label={`${admin.show}: ${text}`}
        onClick={() => {
          // The line goes away.
          focusHeading();
          onShow();
        }}
      >
        {admin.show}
      </Button>
    </Group>
  );
}
