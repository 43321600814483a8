import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import lists from '../history/history.module.css';
import { isAccepted } from '../history/usage';
import { endOf, type Rotation } from '../key/status';
import { useKey } from '../key/useKey';
import { laterTexts } from '../texts/later';
import { useTexts } from '../texts';
import { clockTime, relativeTime } from '../time/format';
import { useNow } from '../time/useNow';
import list from '../ui/list.module.css';
import { Section } from '../ui/Section';
import { RelativeTime } from '../ui/RelativeTime';
import classes from './details.module.css';
import { UntilUsed } from './Facts';

const english = {
  title: 'Rotation',
  old: 'Only the old key',
  both: 'Both keys work',
  next: 'Only the new key',
  until: (when: string) => `until ${when}`,
  since: (when: string) => `since ${when}`,
  unused: 'new key not used yet',
  callers: 'Still calling with the old key',
  nobody: (when: string) => `Nobody has called with the old key since the rotation, ${when}.`,
};

const rotationTexts = laterTexts(english, {
  title: 'Rotation',
  old: 'Nur der alte Schlüssel',
  both: 'Beide Schlüssel gelten',
  next: 'Nur der neue Schlüssel',
  until: (when) => `bis ${when}`,
  since: (when) => `seit ${when}`,
  unused: 'neuer Schlüssel noch nicht genutzt',
  callers: 'Ruft noch mit dem alten Schlüssel auf',
  nobody: (when) => `Seit der Rotation (${when}) hat niemand mit dem alten Schlüssel aufgerufen.`,
});

/** Old, both, new; and who has called with the old key since there are two. */
export function RotationTimeline({ rotation }: { readonly rotation: Rotation }) {
  const texts = useTexts();
  const { history, language } = texts;
  const words = rotationTexts(language);
  const { old, next } = rotation;
  const now = useNow();
  const { uses } = useKey(old.id).key ?? {};
  if (!words) return null;
  const since = clockTime(next.createdAt, now, language);
  const callers = uses?.filter((use) => isAccepted(use) && Date.parse(use.lastAt) > Date.parse(next.createdAt));
  // Only the last addresses are kept, denied ones among them.
  const isUnused = old.lastUsedAt === null || Date.parse(old.lastUsedAt) <= Date.parse(next.createdAt);
  const step = (name: string, prefix: string | undefined, isNow: boolean, when: ReactNode) => (
    <li aria-current={isNow ? 'step' : undefined}>
      <strong>{name}</strong> {prefix !== undefined && <code>{prefix}</code>}
      <span>{when}</span>
    </li>
  );
  return (
    <Section title={words.title}>
      <ol className={classes.steps}>
        {step(words.old, old.prefix, false, words.until(since))}
        {step(
          words.both,
          undefined,
          true,
          <>
            {words.since(since)}
            {next.lastUsedAt === null && <> · {words.unused}</>}
            {old.endsAt === null && <UntilUsed rotation={rotation} />}
          </>,
        )}
        {step(words.next, next.prefix, false, old.endsAt !== null && <RelativeTime iso={endOf(old)} />)}
      </ol>
      {callers?.length === 0 && isUnused && (
        <Text size="sm">{words.nobody(relativeTime(next.createdAt, now, texts, true))}</Text>
      )}
      {callers && callers.length > 0 && (
        <>
          <Title order={4} size="h6">
            {words.callers}
          </Title>
          <ul className={`${list.frame} ${lists.addresses}`} aria-label={words.callers}>
            {callers.map(({ clientIp, service, lastAt }) => (
              <li key={clientIp}>
                <code>{clientIp}</code>
                <span className={lists.seen}>
                  <RelativeTime iso={lastAt} text={history.lastSeen} isPast />
                  <span>{service === null ? history.viaProxy : history.via(service)}</span>
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}
