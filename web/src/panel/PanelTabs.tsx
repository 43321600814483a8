import { Tabs } from '@mantine/core';
import { EventListSkeleton } from '../activity/EventListSkeleton';
import { KeyDialogs } from '../keys/KeyDialogs';
import { KeysTab } from '../keys/KeysTab';
import { useTexts } from '../texts';
import { later } from '../ui/later';
import { START, type PanelPlace } from './place';

interface Props {
  readonly place: PanelPlace;
  readonly goTo: (place: PanelPlace) => void;
}

const ActivityTab = later(() => import('../activity/ActivityTab').then((part) => part.ActivityTab), {
  fallback: <EventListSkeleton />,
});

/** Each tab begins without a filter. */
export function PanelTabs({ place, goTo }: Props) {
  const texts = useTexts();
  return (
    <KeyDialogs>
      <Tabs
        value={place.tab}
        onChange={(tab) => goTo(tab === 'activity' ? { tab, events: 'all' } : START)}
        keepMounted={false}
      >
        <Tabs.List aria-label={texts.tabs.label} mb="lg">
          <Tabs.Tab value="keys">{texts.tabs.keys}</Tabs.Tab>
          <Tabs.Tab value="activity">{texts.tabs.activity}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="keys">
          {place.tab === 'keys' && <KeysTab filter={place.status} keyId={place.keyId} />}
        </Tabs.Panel>
        <Tabs.Panel value="activity">
          {place.tab === 'activity' && <ActivityTab filter={place.events} keyId={place.keyId} />}
        </Tabs.Panel>
      </Tabs>
    </KeyDialogs>
  );
}
