import { EventListSkeleton } from '../activity/EventListSkeleton';
import { step, useSearch } from '../base/address';
import { TextsContext, useAdminTexts, useTexts } from '../texts';
import { NotAdministrator } from './as-administrator';
import { AuditFilters } from './AuditFilters';
import { AuditTable } from './AuditTable';
import { KeyDrawer, Lost } from './KeyDrawer';
import { ListFrame } from './ListFrame';
import { type AuditPlace, auditPlaceOf, searchOfAudit } from './place';
import { aboutOthers } from './texts';
import { useAuditEvents } from './useAllKeys';

/** Who did and viewed what, for administrators. */
export function AuditTab() {
  const own = useTexts();
  const admin = useAdminTexts();
  const { audit } = admin;
  const texts = aboutOthers(own, admin);
  const place = auditPlaceOf(useSearch());
  const list = useAuditEvents(place);
  const goTo = (next: AuditPlace) => step(searchOfAudit(next), next.keyId !== undefined);
  const placeOf = (keyId: string | undefined): AuditPlace => ({ ...place, keyId });
  const isFiltered = searchOfAudit(placeOf(undefined)) !== searchOfAudit(auditPlaceOf(''));

  if (list.error instanceof NotAdministrator) return <Lost />;
  return (
    <TextsContext value={texts}>
      <ListFrame
        intro={audit.intro}
        filters={<AuditFilters place={place} goTo={(next) => goTo({ ...place, keyId: undefined, ...next })} />}
        list={list}
        skeleton={<EventListSkeleton />}
        shown={audit.shown(list.events.length)}
        failed={audit.failed}
        none={list.events.length > 0 ? undefined : audit.none}
        onClear={isFiltered ? () => goTo(auditPlaceOf('')) : undefined}
      >
        <AuditTable
          events={list.events}
          hrefOf={(id) => searchOfAudit(placeOf(id))}
          onOpen={(id) => goTo(placeOf(id))}
        />
      </ListFrame>
      <KeyDrawer keyId={place.keyId} onOpen={(id) => goTo(placeOf(id))} onClose={() => goTo(placeOf(undefined))} />
    </TextsContext>
  );
}
