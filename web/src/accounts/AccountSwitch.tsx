import { Group, VisuallyHidden } from '@mantine/core';
import { useId, useState } from 'react';
import type { ManagedAccount } from '../api/types';
import { nameOf, useAccounts, usePanel } from '../base/context';
import { START, type PanelPlace } from '../base/place';
import { useTexts, type Texts } from '../texts';
import classes from './accounts.module.css';
import { Select } from '../ui/Select';

interface Props {
  /** It is needed only then, and shown only to people who manage a service account. */
  readonly isWanted: boolean;
  readonly place: PanelPlace;
}

/** Chooses whose keys are shown. The browser's own select element works with keyboards, screen readers and phones. */
export function AccountSwitch({ place }: Props) {
  const texts = useTexts();
  const { accounts: words } = texts;
  const { goTo } = usePanel();
  const { data: [own, ...managed] = [] } = useAccounts();
  const id = useId();
  const [news, setNews] = useState('');
  if (!own || managed.length === 0) return null;

  const choose = (account: string | undefined) => {
    const chosen = managed.find((one) => one.id === account);
    setNews(chosen ? words.nowOf(nameOf(chosen)) : words.nowYours);
    goTo(place.tab === 'activity' ? { tab: 'activity', events: place.events, account } : { ...START, account });
  };
  return (
    <Group gap="xs" wrap="nowrap" miw={0}>
      <label htmlFor={id} className={classes.label}>
        {words.keysOf}
      </label>
      <Select
        id={id}
        size="xs"
        className={classes.select}
        value={managed.some((one) => one.id === place.account) ? place.account : ''}
        onChange={(event) => choose(event.currentTarget.value || undefined)}
        data={[
          { value: '', label: words.yours },
          ...managed.map((one) => ({ value: one.id, label: labelOf(one, managed, texts) })),
        ]}
      />
      <VisuallyHidden role="status">{news}</VisuallyHidden>
    </Group>
  );
}

/** Two accounts of the same name differ by their ids. */
function labelOf(account: ManagedAccount, all: readonly ManagedAccount[], { accounts }: Texts): string {
  const name = nameOf(account);
  const isAlone = all.filter((one) => nameOf(one) === name).length === 1;
  const label = isAlone ? name : `${name} · ${account.id}`;
  return account.status === 'active' ? label : accounts.stopped[account.status].option(label);
}

/** Completes the heading for screen readers: to others, the switch next to it says whose keys these are. */
export function AccountOfKeys({ account }: { readonly account: string | undefined }) {
  const { accounts: words } = useTexts();
  const { data } = useAccounts();
  const found = data?.find((one) => one.kind === 'service' && one.id === account);
  return found && <VisuallyHidden component="span"> {words.ofName(nameOf(found))}</VisuallyHidden>;
}
