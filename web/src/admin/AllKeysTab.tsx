import { hasCode } from '../api/problem';
import { KeyTableSkeleton } from '../keys/KeyTableSkeleton';
import { step, useSearch } from '../base/address';
import { TextsContext, useAdminTexts, useTexts } from '../texts';
import { AllKeysTable } from './AllKeysTable';
import { NotAdministrator } from './as-administrator';
import { Filters } from './Filters';
import { KeyDrawer, Lost } from './KeyDrawer';
import { ListFrame } from './ListFrame';
import { type AllKeysPlace, allKeysPlaceOf, isFiltered, searchOfAllKeys } from './place';
import { aboutOthers } from './texts';
import { useAllKeys } from './useAllKeys';

/** The keys of all owners, for administrators. */
export function AllKeysTab() {
  const own = useTexts();
  const admin = useAdminTexts();
  const texts = aboutOthers(own, admin);
  const place = allKeysPlaceOf(useSearch());
  const list = useAllKeys(place);
  const goTo = (next: AllKeysPlace) => step(searchOfAllKeys(next), next.keyId !== undefined);
  const placeOf = (keyId: string): AllKeysPlace => ({ ...place, keyId });
  const wrongPrefix = hasCode(list.error, 'invalid_fields')
    ? list.error.errors.find(({ field }) => field === 'prefix')
    : undefined;

  if (list.error instanceof NotAdministrator) return <Lost />;
  return (
    <TextsContext value={texts}>
      <ListFrame
        intro={admin.intro}
        filters={
          <Filters
            place={place}
            owner={list.keys[0]?.owner}
            goTo={goTo}
            error={wrongPrefix && texts.create.field(wrongPrefix.message)}
          />
        }
        list={list}
        skeleton={<KeyTableSkeleton />}
        shown={texts.keys.shown(list.keys.length)}
        failed={admin.failed}
        isExplained={wrongPrefix !== undefined}
        none={list.keys.length > 0 ? undefined : isFiltered(place) ? admin.none : admin.empty}
        onClear={isFiltered(place) ? () => goTo(allKeysPlaceOf('')) : undefined}
      >
        <AllKeysTable
          keys={list.keys}
          hrefOf={(id) => searchOfAllKeys(placeOf(id))}
          onOpen={(id) => goTo(placeOf(id))}
        />
      </ListFrame>
      <KeyDrawer
        keyId={place.keyId}
        onOpen={(id) => goTo(placeOf(id))}
        onClose={() => goTo({ ...place, keyId: undefined })}
      />
    </TextsContext>
  );
}
