import { ownLink } from '../ui/links';
import { TextsContext, useTexts } from '../texts';
import { useState } from 'react';
import { statusAt } from '../key/status';
import { useNow } from '../time/useNow';
import { step, useSearch } from '../base/address';
import { usePanel } from '../base/context';
import { AllKeysTable } from './AllKeysTable';
import { AlsoMade } from './AlsoMade';
import { NotAdministrator, useAllKeys, useAuditEvents } from './useAllKeys';
import { Filters } from './Filters';
import { ChangeSeveral } from './ChangeSeveral';
import { KeyDrawer, Lost } from './KeyDrawer';
import { ListFrame } from './ListFrame';
import {
  type AllKeysPlace,
  allKeysPlaceOf,
  type AuditPlace,
  auditPlaceOf,
  filtersOf,
  searchOfAllKeys,
  searchOfAudit,
  sortsOf,
} from './place';
import { aboutOthers, AdminTextsContext, useAdminTexts } from './texts';
import { AuditFilters } from './AuditFilters';
import { AuditTable } from './AuditTable';

const english = () => import('../texts/english/admin');

/** By the language of the page. As for the rest of the screen, each is a chunk of its own. */
const LANGUAGES: Readonly<Record<string, typeof english>> = { de: () => import('../texts/german/admin') };

/** The tabs of administrators, with their texts. */
export async function loadAdministration() {
  const { admin } = await (LANGUAGES[document.documentElement.lang] ?? english)();
  return ({ tab }: { readonly tab: 'all-keys' | 'audit' }) => (
    <AdminTextsContext value={admin}>
      <TextsContext value={aboutOthers(useTexts(), admin)}>
        {tab === 'audit' ? <AuditTab /> : <AllKeysTab />}
      </TextsContext>
    </AdminTextsContext>
  );
}

function AllKeysTab() {
  const texts = useTexts();
  const admin = useAdminTexts();
  const place = allKeysPlaceOf(useSearch());
  const list = useAllKeys(place);
  const typed = usePanel().trip?.returned?.typed;
  const left = typed?.form === 'end' && place.keyId === undefined ? typed : undefined;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(left?.keys.map(({ id }) => id)));
  const now = useNow();
  const goTo = (next: AllKeysPlace) => step(searchOfAllKeys(next), next.keyId !== undefined);
  const placeOf = (keyId: string): AllKeysPlace => ({ ...place, keyId });

  const isPerson = list.isSuccess && !list.isPlaceholderData && list.keys[0]?.owner.kind !== 'service';
  const noneFound = place.prefix === undefined ? admin.none : admin.nonePrefixed;
  const none = filtersOf(place) > 0 ? noneFound : admin.empty;

  if (list.error instanceof NotAdministrator) return <Lost />;
  return (
    <>
      <ListFrame
        intro={admin.intro}
        filters={
          <>
            <Filters place={place} keys={list.keys} goTo={goTo} />
            <AlsoMade
              owner={place.owner}
              isPerson={isPerson}
              onShow={() => goTo({ ...allKeysPlaceOf(''), createdBy: place.owner })}
            />
          </>
        }
        list={list}
        shown={texts.keys.shown(list.keys.length)}
        failed={admin.failed}
        none={list.keys.length > 0 || list.hasNextPage ? undefined : none}
        onClear={filtersOf(place) > 0 ? () => goTo(allKeysPlaceOf('')) : undefined}
      >
        <AllKeysTable
          keys={list.keys}
          chosen={chosen}
          onChoose={setChosen}
          sort={place.sort}
          sorts={sortsOf(place.owner)}
          onSort={(sort) => goTo({ ...place, keyId: undefined, sort })}
          linkTo={(id) => ownLink(searchOfAllKeys(placeOf(id)), () => goTo(placeOf(id)))}
        />
      </ListFrame>
      <ChangeSeveral
        keys={list.keys.filter((key) => chosen.has(key.id) && statusAt(key, now) === 'active')}
        left={left}
        onClear={() => setChosen(new Set())}
      />
      <KeyDrawer
        keyId={place.keyId}
        onOpen={(id) => goTo(placeOf(id))}
        onClose={() => goTo({ ...place, keyId: undefined })}
      />
    </>
  );
}

function AuditTab() {
  const { audit } = useAdminTexts();
  const place = auditPlaceOf(useSearch());
  const list = useAuditEvents(place);
  const goTo = (next: AuditPlace) => step(searchOfAudit(next), next.keyId !== undefined);
  const placeOf = (keyId: string | undefined): AuditPlace => ({ ...place, keyId });
  const isSearched = searchOfAudit(placeOf(undefined)) !== searchOfAudit(auditPlaceOf(''));

  if (list.error instanceof NotAdministrator) return <Lost />;
  return (
    <>
      <ListFrame
        intro={audit.intro}
        filters={<AuditFilters place={place} goTo={(next) => goTo({ ...place, keyId: undefined, ...next })} />}
        list={list}
        shown={audit.shown(list.events.length)}
        failed={audit.failed}
        none={list.events.length > 0 ? undefined : audit.none}
        onClear={isSearched ? () => goTo(auditPlaceOf('')) : undefined}
      >
        <AuditTable
          events={list.events}
          linkTo={(id) => ownLink(searchOfAudit(placeOf(id)), () => goTo(placeOf(id)))}
        />
      </ListFrame>
      <KeyDrawer keyId={place.keyId} onOpen={(id) => goTo(placeOf(id))} onClose={() => goTo(placeOf(undefined))} />
    </>
  );
}
