import type { ApiKey } from '../api/types';
import { useTexts } from '../texts';
import { RelativeTime } from '../ui/RelativeTime';

interface Props {
  readonly label: string;
  readonly apiKey: ApiKey;
}

export function Usage({ label, apiKey }: Props) {
  const { lastUsed, neverUsed } = useTexts().rotate;
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <code>{apiKey.prefix}</code>
      </dd>
      <dd>{apiKey.lastUsedAt ? <RelativeTime iso={apiKey.lastUsedAt} text={lastUsed} isPast /> : neverUsed}</dd>
    </div>
  );
}
