import { Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { hasCode } from '../api/problem';
import { KeyTableSkeleton } from '../keys/KeyTableSkeleton';
import { step, useSearch } from '../page/usePlaceInAddress';
import { TextsContext, useTexts } from '../texts';
import { FailureAlert } from '../ui/FailureAlert';
import { AllKeysTable } from './AllKeysTable';
import { NotAdministrator } from './as-administrator';
import { Filters } from './Filters';
import { KeyDrawer, Lost } from './KeyDrawer';
import { allKeysPlaceOf, isFiltered, searchOfAllKeys, type AllKeysPlace } from './place';
import { aboutOthers, useAdminTexts } from './texts';
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
      <Stack gap="lg">
        <Text c="dimmed" size="sm" maw="80ch">
          {admin.intro}
        </Text>
        <Filters
          place={place}
          owner={list.keys[0]?.owner}
          goTo={goTo}
          error={wrongPrefix && texts.create.field(wrongPrefix.message)}
        />
        <VisuallyHidden role="status">{list.isSuccess && texts.keys.shown(list.keys.length)}</VisuallyHidden>
        {list.isError && !wrongPrefix && (
          <FailureAlert
            title={admin.failed}
            error={list.error}
            isRetrying={list.isFetching}
            onRetry={() => void (list.data ? list.fetchNextPage() : list.refetch())}
          />
        )}
        {list.isPending && !list.isError && <KeyTableSkeleton />}
        {list.isSuccess && list.keys.length === 0 && (
          <Group>
            <Text c="dimmed">{isFiltered(place) ? admin.none : admin.empty}</Text>
            {isFiltered(place) && (
              <Button size="xs" variant="default" onClick={() => goTo(allKeysPlaceOf(''))}>
                {admin.clear}
              </Button>
            )}
          </Group>
        )}
        {list.keys.length > 0 && (
          <AllKeysTable
            keys={list.keys}
            hrefOf={(id) => searchOfAllKeys(placeOf(id))}
            onOpen={(id) => goTo(placeOf(id))}
          />
        )}
        {list.hasNextPage && !list.isError && (
          <Group justify="center">
            <Button variant="default" onClick={() => void list.fetchNextPage()} loading={list.isFetchingNextPage}>
              {texts.showMore}
            </Button>
          </Group>
        )}
      </Stack>
      <KeyDrawer
        keyId={place.keyId}
        onOpen={(id) => goTo(placeOf(id))}
        onClose={() => goTo({ ...place, keyId: undefined })}
        onOwner={(owner) => goTo({ ...allKeysPlaceOf(''), owner })}
      />
    </TextsContext>
  );
}
