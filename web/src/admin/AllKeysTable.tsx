import { Access, KeyName, Table } from '../keys/Table';
import type { OwnLink } from '../ui/links';
import type { KeyOwner, OwnedKey } from './types';
import { EndOfActive, StatusBadge } from '../key/StatusBadge';
import list from '../keys/KeyList.module.css';
import { Sparkline } from '../keys/Sparkline';
import { endOf, pauseOf, statusAt } from '../key/status';
import { nameOf } from '../base/context';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';
import { Checkbox } from '../ui/Checkbox';
import marks from '../ui/list.module.css';
import { RelativeTime } from '../ui/RelativeTime';
import classes from './admin.module.css';
import { useAdminTexts } from './texts';
import type { Sort } from '../keys/key-rows';
import { isUnused } from './Counts';

interface Props {
  readonly keys: readonly OwnedKey[];
  readonly linkTo: (keyId: string) => OwnLink;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
  readonly sort: Sort | undefined;
  /** What the keys can be sorted by. */
  readonly sorts: readonly Sort[];
  readonly onSort: (sort: Sort | undefined) => void;
}

export function AllKeysTable({ keys, linkTo, chosen, onChoose, sort, sorts, onSort }: Props) {
  const { accounts, keys: words } = useTexts();
  const { column } = words;
  const admin = useAdminTexts();
  const now = useNow();
  const active = keys.filter((key) => statusAt(key, now) === 'active').map(({ id }) => id);
  const taken = active.filter((id) => chosen.has(id));
  const makerOf = ({ createdBy, owner }: OwnedKey) =>
    createdBy && createdBy.id !== owner.id && `${accounts.madeBy} ${nameOf(createdBy)}`;
  return (
    <Table
      label={admin.table}
      look={classes.columns}
      sort={sort}
      onSort={onSort}
      rows={keys}
      idOf={({ id }) => id}
      isEnded={({ id }) => !active.includes(id)}
      isSelected={({ id }) => taken.includes(id)}
      columns={[
        {
          name: admin.several.column,
          width: '1.5rem',
          isForButtons: true,
          className: list.select,
          head: active.length > 0 && (
            <Checkbox
              aria-label={admin.several.all}
              checked={taken.length === active.length}
              isPart={taken.length > 0 && taken.length < active.length}
              onChange={() => onChoose(new Set(taken.length === active.length ? [] : active))}
            />
          ),
          cell: ({ id, name }, { prefixId }) =>
            active.includes(id) && (
              <Checkbox
                aria-label={admin.several.select(name)}
                aria-describedby={prefixId}
                checked={chosen.has(id)}
                onChange={() =>
                  onChoose(new Set(chosen.has(id) ? [...chosen].filter((each) => each !== id) : [...chosen, id]))
                }
              />
            ),
        },
        {
          name: column.name,
          width: 'minmax(0, 1fr)',
          sort: 'name',
          cell: (key, parts) => <KeyName apiKey={key} to={linkTo(key.id)} {...parts} />,
        },
        {
          name: admin.owner,
          width: 'minmax(0, 1fr)',
          className: classes.owner,
          cell: (key) => <Owner owner={key.owner} maker={makerOf(key)} />,
        },
        { name: column.access, width: '7.5rem', cell: (key) => <Access apiKey={key} /> },
        {
          name: column.recent,
          width: '7rem',
          sort: sorts.find((each) => each === 'requests'),
          cell: ({ recent }) => <Sparkline recent={recent} />,
        },
        {
          name: column.status,
          width: '5.5rem',
          cell: (key) => {
            const status = statusAt(key, now);
            if (status === 'active' && pauseOf(key, now))
              return <StatusBadge status="paused">{admin.only.paused}</StatusBadge>;
            return <StatusBadge status={status}>{words.status[status]}</StatusBadge>;
          },
        },
        {
          name: column.lastUsed,
          width: '7.5rem',
          sort: 'lastUsed',
          cell: (key) => (
            <span className={isUnused(key, now) ? classes.attention : undefined}>
              {key.lastUsedAt ? <RelativeTime iso={key.lastUsedAt} isPast /> : words.neverUsed}
            </span>
          ),
        },
        {
          name: admin.end,
          width: '9rem',
          sort: 'expires',
          cell: (key) => <End apiKey={key} />,
        },
      ]}
    />
  );
}

function End({ apiKey }: { readonly apiKey: OwnedKey }) {
  const status = statusAt(apiKey, useNow());
  if (status === 'active') return <EndOfActive apiKey={apiKey} />;
  return <RelativeTime iso={(status === 'revoked' && apiKey.revokedAt) || endOf(apiKey)} isPast />;
}

interface OwnerProps {
  readonly owner: KeyOwner;
  /** Who made the key, if not its owner. */
  readonly maker?: string | false | null | undefined;
}

/** Whose key it is, and what is unusual about it: an account that is no person's or not active, or another maker. */
export function Owner({ owner, maker }: OwnerProps) {
  const admin = useAdminTexts();
  const { kind, status, email } = owner;
  return (
    <>
      <bdi>{nameOf(owner)}</bdi> {kind === 'service' && <span className={marks.badge}>{admin.service}</span>}
      <div className={`${list.second} ${list.cut}`}>
        {status !== 'active' && <strong className={classes.attention}>{admin.accountStatus[status]}</strong>}
        {maker && <span title={maker}>{maker}</span>}
        {email !== '' && email !== nameOf(owner) && <span title={email}>{email}</span>}
      </div>
    </>
  );
}
