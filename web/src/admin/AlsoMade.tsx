import { Button, Group, Text } from '@mantine/core';
import { nameOf, usePanel } from '../base/context';
import { useAdminTexts } from './texts';
import { useMadeBy } from './useAllKeys';

interface Props {
  /** The account whose keys are listed. Undefined: all. */
  readonly owner: string | undefined;
  /** Whether it is known to be no service account. */
  readonly isPerson: boolean;
  readonly onShow: () => void;
}

/** Says that a person knows more keys than their own: those that they made for service accounts. */
export function AlsoMade({ owner, isPerson, onShow }: Props) {
  const admin = useAdminTexts();
  const { focusHeading } = usePanel();
  const made = useMadeBy(owner, isPerson);
  const others = made?.items.filter((key) => key.owner.id !== owner) ?? [];
  if (!made || (others.length === 0 && made.nextCursor === null)) return null;
  const [key] = made.items;
  const name = key?.createdBy ? nameOf(key.createdBy) : owner!;
  const text = admin.alsoMade(name, made.nextCursor === null ? others.length : undefined);
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
