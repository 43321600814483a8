import { Text } from '@mantine/core';
import { useCallback, useEffect, useState } from 'react';
import { isCovered, permissionsToGive } from '../../../src/domain/accounts/permission';
import type { AccessLevel } from '../api/types';
import type { ChosenPermissions, Scope } from '../base/trip';
import { useTexts } from '../texts';
import { ChoiceCards } from '../ui/ChoiceCards';
import { PermissionPicker } from './PermissionPicker';
import { usePermissions } from '../key/useKey';

interface Props extends ChosenPermissions {
  readonly access: AccessLevel;
  readonly onChange: (part: Partial<ChosenPermissions>) => void;
  readonly error: string | undefined;
}

/** Everything that the owner may do, or what is chosen. What no longer fits is left out, and said. */
export function PermissionsField({ access, scope, chosen, onChange, error }: Props) {
  const { create, restrictions } = useTexts();
  const isLimited = scope === 'only';
  const { data } = usePermissions();
  const [leftOut, setLeftOut] = useState<{ readonly lost: readonly string[]; readonly tooHigh: readonly string[] }>();
  useEffect(() => {
    if (!isLimited || !data) return;
    const notCovered = (by: ReadonlySet<string>) => chosen.filter((permission) => !isCovered(permission, by));
    const lost = notCovered(new Set(data.items));
    const list = notCovered(new Set(permissionsToGive(access, data.items)));
    if (list.length === 0) return;
    setLeftOut({ lost, tooHigh: list.filter((permission) => !lost.includes(permission)) });
    onChange({ chosen: chosen.filter((permission) => !list.includes(permission)) });
  }, [isLimited, data, access, chosen, onChange]);
  const choose = useCallback(
    (part: Partial<ChosenPermissions>) => {
      setLeftOut(undefined);
      onChange(part);
    },
    [onChange],
  );
  const note = (['lost', 'tooHigh'] as const)
    .map((why) => ({ why, list: (isLimited && leftOut?.[why]) || [] }))
    .filter(({ list }) => list.length > 0)
    .map(({ why, list }) => restrictions[why](restrictions.listed(list.slice(0, 3).join(', '), list.length - 3)))
    .join(' ');
  return (
    <ChoiceCards
      name="permissions"
      label={restrictions.permissions}
      choices={[
        { value: 'all', label: restrictions.all[access] },
        { value: 'only', label: restrictions.only },
      ]}
      value={scope}
      onChange={(next: Scope) => onChange({ scope: next })}
      note={isLimited ? create.never : `${restrictions.allText} ${create.never}`}
      error={error}
    >
      <Text role="status" c="var(--latchkey-warning)" mt={note ? 'xs' : 0}>
        {note}
      </Text>
      {isLimited && <PermissionPicker access={access} chosen={chosen} onChange={choose} />}
    </ChoiceCards>
  );
}
