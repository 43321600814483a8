import { Button, Stack, Text } from '@mantine/core';
import { EventList } from '../activity/EventList';
import { groupEvents } from '../activity/events';
import { CopyId, Facts, Summary } from '../details/Facts';
import classes from '../details/details.module.css';
import { statusAt } from '../key/status';
import { EndNotice } from '../details/WhatToDo';
import { Usage } from '../history/Usage';
import { step } from '../base/address';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';
import { Section } from '../ui/Section';
import { allKeysPlaceOf, searchOfAllKeys, searchOfAudit } from './place';
import { Owner } from './AllKeysTable';
import { useAdminTexts } from './texts';
import type { FoundKey } from './types';
import type { useOwnedKey } from './useAllKeys';

interface Props {
  readonly apiKey: FoundKey;
  readonly found: ReturnType<typeof useOwnedKey>;
  readonly onOpen: (keyId: string) => void;
}

/** Whose key it is, what it did, and how it ended. */
export function KeyDrawerBody({ apiKey, found, onOpen }: Props) {
  const { details } = useTexts();
  const admin = useAdminTexts();
  const { owner } = apiKey;
  const status = statusAt(apiKey, useNow());
  return (
    <Stack gap="xl">
      <Summary apiKey={apiKey} />
      {status !== 'active' && <EndNotice apiKey={apiKey} status={status} />}
      <Section title={admin.owner}>
        <div className={classes.note}>
          <Owner owner={owner} />
          <Text size="xs" c="dimmed">
            {owner.id}
          </Text>
        </div>
        <Button
          size="xs"
          variant="default"
          onClick={() => step(searchOfAllKeys({ ...allKeysPlaceOf(''), owner: owner.id }), false)}
        >
          {admin.showOwner}
        </Button>
      </Section>
      {apiKey.note !== null && (
        <Text size="sm" className={classes.note}>
          {apiKey.note}
        </Text>
      )}
      <Usage found={found} />
      <Section title={details.history}>
        {apiKey.events.length === 0 ? (
          <Text size="sm" c="dimmed">
            {details.noHistory}
          </Text>
        ) : (
          <EventList groups={groupEvents(apiKey.events)} keyOf={() => apiKey} label={details.history} isOfOneKey />
        )}
        <Button size="xs" variant="default" onClick={() => step(searchOfAudit({ days: {}, of: apiKey.id }), false)}>
          {admin.showEvents}
        </Button>
      </Section>
      <Section title={details.facts}>
        <Facts
          apiKey={apiKey}
          rotation={undefined}
          linkTo={(other) => (
            <Button size="xs" variant="default" onClick={() => onOpen(other)}>
              {admin.otherKey}
            </Button>
          )}
        />
        <CopyId id={apiKey.id} />
      </Section>
    </Stack>
  );
}
