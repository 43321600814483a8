import { Button, Group, Menu, Text } from '@mantine/core';
import { actionOf } from '../../../src/domain/accounts/permission';
import { fewPermissions } from '../key/limits';
import { useApiKeys } from '../key/list';
import { statusAt } from '../key/status';
import { MAX_KEY_PERMISSIONS } from '../rules';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';
import { fewRights } from './picker-rows';

interface Props {
  /** What the owner may give a key of this level. */
  readonly items: readonly string[];
  /** Replaces what is chosen. */
  readonly onStart: (permissions: readonly string[]) => void;
}

/** What many keys have, or one of the owner's active keys, to begin the choice with. */
export function StartingPoints({ items, onStart }: Props) {
  const texts = useTexts();
  const { start, readAll, sameAs } = texts.restrictions;
  const now = useNow();
  const { keys } = useApiKeys();
  const reads = items.filter((permission) => actionOf(permission) === 'read');
  const limited = keys.filter((key) => key.permissions && !key.replacedBy && statusAt(key, now) === 'active');
  const hasReadAll = reads.length > 1 && reads.length <= MAX_KEY_PERMISSIONS;
  if (!hasReadAll && limited.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-label={start}>
      <Text size="sm" c="dimmed" aria-hidden="true">
        {start}
      </Text>
      {hasReadAll && (
        <Button size="xs" variant="default" onClick={() => onStart(reads)}>
          {readAll}
        </Button>
      )}
      {limited.length > 0 && (
        <Menu position="bottom-start" withinPortal={false} withInitialFocusPlaceholder={false} shadow="md">
          <Menu.Target>
            <Button size="xs" variant="default">
              {sameAs}
            </Button>
          </Menu.Target>
          <Menu.Dropdown mah="16rem" style={{ overflowY: 'auto' }}>
            {limited.map(({ id, name, permissions }) => (
              <Menu.Item key={id} onClick={() => onStart(permissions!)}>
                <bdi>{name}</bdi>
                <Text size="xs" c="dimmed">
                  {fewRights(permissions!, texts) || fewPermissions(permissions!, texts)}
                </Text>
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </Group>
  );
}
