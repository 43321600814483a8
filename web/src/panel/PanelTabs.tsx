import { Button, Group, Tabs, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { ListSkeleton } from '../ui/Nothing';
import { KeyDialogs } from '../dialogs/KeyDialogs';
import { ActiveCount, KeysHead } from './KeysHead';
import { KeysTab } from '../keys/KeysTab';
import { useTexts } from '../texts';
import { later } from '../ui/later';
import { useOwner, usePanel } from '../base/context';
import { type PanelPlace, START } from '../base/place';
import { hasCode } from '../api/problem';
import { HelpLink } from '../ui/links';
import { Notice } from '../ui/Notice';
import classes from './Panel.module.css';

/** A tab that the page brings. It keeps its place itself. */
export interface OwnTab {
  readonly name: string;
  readonly label: string;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
  readonly content: ReactNode;
}

interface Props {
  readonly place: PanelPlace;
  readonly ownTabs: readonly OwnTab[];
}

const ActivityTab = later(() => import('../activity/ActivityTab').then((part) => part.ActivityTab), {
  fallback: <ListSkeleton />,
});
const ServiceAccount = later(() => import('../accounts/accounts').then((part) => part.ServiceAccount), {
  fallback: <ListSkeleton />,
});
const LostAccount = later(() => import('../accounts/accounts').then((part) => part.LostAccount), {
  isWanted: ({ lost }) => lost !== undefined,
});

/** The keys and the activity of one account. What was typed for one account is never shown for another. */
export function PanelTabs({ place, ownTabs }: Props) {
  const { focusHeading } = usePanel();
  const [hasDialog, setHasDialog] = useState(false);
  const [lost, setLost] = useState<string>();
  // A dialog may show a new key: "back" to another account waits until it is closed.
  const latest = useRef(place);
  if (!hasDialog || place.account === latest.current.account) latest.current = place;
  const shown = latest.current;
  const { account } = shown;

  const before = useRef(account);
  useEffect(() => {
    if (before.current === account) return;
    before.current = account;
    if (account !== undefined) setLost(undefined);
    if (document.activeElement === document.body) focusHeading();
  }, [account, focusHeading]);

  const tabs = (
    <KeyDialogs status={shown.tab === 'keys' ? shown.status : 'active'} onOpened={setHasDialog}>
      <TabsOfPlace place={shown} ownTabs={ownTabs} isAtPlace={shown === place} />
    </KeyDialogs>
  );
  return (
    <>
      <LostAccount lost={account === undefined ? lost : undefined} onClose={() => setLost(undefined)} />
      {account === undefined ? (
        tabs
      ) : (
        <ServiceAccount key={account} id={account} onLost={setLost}>
          {tabs}
        </ServiceAccount>
      )}
    </>
  );
}

/** Each tab begins without a filter. */
function TabsOfPlace({ place, ownTabs, isAtPlace }: Props & { readonly isAtPlace: boolean }) {
  const texts = useTexts();
  const { goTo } = usePanel();
  const open = (tab: string | null) => {
    const own = ownTabs.find(({ name }) => name === tab);
    if (own) return own.onOpen();
    return goTo(tab === 'activity' ? { tab, events: 'all' } : START);
  };
  const opened = isAtPlace ? ownTabs.find(({ isOpen }) => isOpen) : undefined;
  return (
    <Tabs value={opened?.name ?? place.tab} onChange={open} keepMounted={false}>
      <div className={classes.tabs}>
        <Tabs.List aria-label={texts.tabs.label}>
          <Tabs.Tab value="keys">{texts.tabs.keys}</Tabs.Tab>
          <Tabs.Tab value="activity">{texts.tabs.activity}</Tabs.Tab>
          {ownTabs.map(({ name, label }) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {!opened && <ActiveCount />}
      </div>
      <KeysHead
        isOfKeys={!opened}
        suggestion={place.tab === 'keys' ? place.suggestion : undefined}
        onSuggested={() => place.tab === 'keys' && goTo({ ...place, suggestion: undefined }, { replace: true })}
      />
      <Tabs.Panel value="keys">
        {place.tab === 'keys' && <KeysTab filter={place.status} keyId={place.keyId} />}
      </Tabs.Panel>
      <Tabs.Panel value="activity">
        {place.tab === 'activity' && <ActivityTab filter={place.events} keyId={place.keyId} />}
      </Tabs.Panel>
      {ownTabs.map(({ name, content }) => (
        <Tabs.Panel key={name} value={name}>
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** The service does not know a person of the platform until the platform opens an account for them. */
export function AccountGate({ children }: { readonly children: ReactNode }) {
  const texts = useTexts();
  const owner = useOwner();
  const { helpUrl } = usePanel();
  const queryClient = useQueryClient();
  if (!hasCode(owner.error, 'no_account')) return children;
  return (
    <Notice tone="warning" title={texts.noAccount.title}>
      <Text size="sm" mb="sm">
        {texts.noAccount.text}
      </Text>
      <Group>
        <Button size="xs" variant="default" onClick={() => void queryClient.resetQueries()}>
          {texts.tryAgain}
        </Button>
        <HelpLink url={helpUrl} />
      </Group>
    </Notice>
  );
}
