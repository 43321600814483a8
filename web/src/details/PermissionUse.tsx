import { Button, Text } from '@mantine/core';
import type { ApiKey, KeyHistory, Narrower } from '../api/types';
import classes from '../history/history.module.css';
import { OTHER_PERMISSIONS, UNKNOWN_PERMISSION } from '../../../src/domain/usage/key-history';
import { RECORDED_DAYS, whatItUses } from '../../../src/domain/usage/narrower';
import { Permission } from '../key/KeyLimits';
import { useCanMakeKeys } from '../key/list';
import { statusAt } from '../key/status';
import { usePermissions } from '../key/useKey';
import { useTexts } from '../texts';
import { DAY_MS, monthDay } from '../time/format';
import { useNow } from '../time/useNow';
import list from '../ui/list.module.css';
import { Section } from '../ui/Section';
import { permissionUseTexts } from '../key/permission-use-texts';

/** Stands in the place of a permission for requests that no permission of the key granted, as far as it is recorded. */
const UNNAMED = ['', UNKNOWN_PERMISSION, OTHER_PERMISSIONS] as const;
const isUnnamed = (permission: string): permission is (typeof UNNAMED)[number] =>
  UNNAMED.some((each) => each === permission);

interface Props {
  readonly apiKey: ApiKey & Partial<KeyHistory>;
  /** Whether the key can be rotated now, as far as it is known here. */
  readonly isFree: boolean;
  readonly onNarrower: (narrower: Narrower) => void;
}

/** By which permissions a key was used, and which ones it could do without. Nothing from an instance of an earlier release. */
export function PermissionUse({ apiKey, isFree, onNarrower }: Props) {
  const { language } = useTexts();
  const texts = permissionUseTexts(language);
  const now = useNow();
  const canMakeKeys = useCanMakeKeys();
  const owned = usePermissions().data?.items;
  const { permissionUse, permissionUseSince } = apiKey;
  if (!texts || !permissionUse || !permissionUseSince || !owned) return null;
  const { used, of, proposal } = whatItUses(apiKey, owned, {
    used: permissionUse.map(({ permission, operation }) => permission || (operation ?? UNKNOWN_PERMISSION)),
    days: (now - Date.parse(permissionUseSince)) / DAY_MS,
  });
  const since = monthDay(permissionUseSince, language);
  const from = monthDay(new Date(Date.parse(permissionUseSince) + RECORDED_DAYS * DAY_MS).toISOString(), language);
  const all = permissionUse.reduce((sum, { count }) => sum + count, 0);
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumSignificantDigits: 2 });
  const summary = apiKey.replaces !== null && apiKey.lastUsedAt === null ? texts.inherited : texts.summary;
  const isActive = statusAt(apiKey, now) === 'active';
  return (
    <Section title={texts.title}>
      <Text size="sm">{permissionUse.length > 0 ? summary(used, of, since) : texts.none}</Text>
      {permissionUse.length > 0 && (
        <ul className={`${list.frame} ${classes.addresses}`} aria-label={texts.title}>
          {[...permissionUse]
            .sort((one, other) => other.count - one.count)
            .map(({ permission, operation, lastDay, count }) => (
              <li key={`${permission} ${operation}`}>
                {isUnnamed(permission) ? (
                  <span>{texts.other[permission]}</span>
                ) : (
                  <Permission of={permission.split(':')[0]!} actions={permission.split(':').slice(1)} />
                )}
                <span className={classes.seen}>
                  {texts.share(percent.format(count / all), monthDay(lastDay, language))}
                </span>
              </li>
            ))}
        </ul>
      )}
      {isActive && typeof proposal === 'string' && (
        <Text size="xs" c="dimmed">
          {texts.why[proposal](from)}
        </Text>
      )}
      {isActive && typeof proposal !== 'string' && isFree && canMakeKeys && (
        <Button variant="default" size="xs" onClick={() => onNarrower(proposal)}>
          {texts.leaveOut(of - used, since)}
        </Button>
      )}
    </Section>
  );
}
