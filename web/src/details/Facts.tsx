import { type ReactNode, useEffect, useRef } from 'react';
import { Button, Group, VisuallyHidden } from '@mantine/core';
import { Section } from '../ui/Section';
import type { ApiKey } from '../api/types';
import { nameOf, useOwner, usePanel } from '../base/context';
import { endOf, pauseOf, type Rotation, statusAt } from '../key/status';
import { EndOfActive, PausedUntil, StatusBadge } from '../key/StatusBadge';
import { fewWords } from '../key/limits';
import { Limits } from '../key/KeyLimits';
import { useTexts } from '../texts';
import { duration, exactTime, relativeTime } from '../time/format';
import { useNow } from '../time/useNow';
import classes from './details.module.css';
import list from '../ui/list.module.css';
import { RelativeTime } from '../ui/RelativeTime';
import { CheckIcon, CopyIcon } from '../ui/icons';
import { useCopy } from '../ui/useCopy';

interface Props {
  readonly apiKey: ApiKey;
  readonly rotation: Rotation | undefined;
  /** Leads to the key that this one replaces, or that replaces it. */
  readonly linkTo: (keyId: string) => ReactNode;
}

/** What matters about a key, in one line below its name, and what it is limited to. */
export function Summary({ apiKey }: Pick<Props, 'apiKey'>) {
  const texts = useTexts();
  const { accounts, details, keys, restrictions } = texts;
  const { account } = usePanel();
  const ownerId = useOwner().data?.ownerId;
  const now = useNow();
  const status = statusAt(apiKey, now);
  const pause = status === 'active' && pauseOf(apiKey, now);
  const { access, permissions, allowedNetworks, createdBy } = apiKey;
  const you = account && accounts.madeByYou;
  const maker = createdBy?.id === ownerId ? you : createdBy && nameOf(createdBy);
  // They go on with the sentence that the status begins.
  const goesOn = (words: string) => words.charAt(0).toLowerCase() + words.slice(1);
  return (
    <>
      <ul className={classes.summary}>
        <li>
          {pause ? <PausedUntil iso={pause} /> : <StatusBadge status={status}>{keys.status[status]}</StatusBadge>}
        </li>
        <li>{goesOn(permissions ? keys.access[access] : restrictions.all[access])}</li>
        {fewWords(apiKey, texts).map((words) => (
          <li key={words}>{words}</li>
        ))}
        {!allowedNetworks && <li>{goesOn(restrictions.anyNetwork)}</li>}
        {status === 'active' && (
          <li>
            <EndOfActive apiKey={apiKey} expiry={details.expires} write={goesOn} />
          </li>
        )}
        {maker && (
          <li>
            {goesOn(accounts.madeBy)} <bdi>{maker}</bdi>
          </li>
        )}
      </ul>
      {(permissions ?? allowedNetworks) && (
        <dl className={list.facts}>
          <Limits permissions={permissions} allowedNetworks={allowedNetworks} />
        </dl>
      )}
    </>
  );
}

/** What is not in the summary, and the exact times, which elsewhere are hints. */
export function Facts({ apiKey, rotation, linkTo }: Props) {
  const texts = useTexts();
  const { details, keys } = texts;
  const { column } = keys;
  const now = useNow();
  const status = statusAt(apiKey, now);
  const pause = pauseOf(apiKey, now);
  const { replaces, replacedBy, endsAt, idleEndsAt } = apiKey;
  const isOld = rotation?.old.id === apiKey.id;
  const ends = endsAt === null ? isOld && <UntilUsed rotation={rotation} /> : <Moment iso={endOf(apiKey)} />;
  return (
    <Section title={details.facts}>
      <dl className={list.facts}>
        <Fact name={column.created}>
          <Moment iso={apiKey.createdAt} isPast />
        </Fact>
        {status === 'active' && pause && (
          <Fact name={texts.pause.fact}>
            <Moment iso={pause} />
          </Fact>
        )}
        {status === 'active' && idleEndsAt && (
          <Fact name={details.unlessUsed}>
            <Moment iso={idleEndsAt} />
          </Fact>
        )}
        {status === 'active' && ends && <Fact name={details.ends}>{ends}</Fact>}
        {status !== 'revoked' && (
          <Fact name={status === 'expired' ? keys.status.expired : column.expires}>
            <Moment iso={apiKey.expiresAt} isPast={status === 'expired'} />
          </Fact>
        )}
        {status === 'revoked' && (
          <Fact name={keys.status.revoked}>
            <Moment iso={apiKey.revokedAt ?? endOf(apiKey)} isPast />
          </Fact>
        )}
        <Fact name={column.lastUsed}>
          {apiKey.lastUsedAt ? <Moment iso={apiKey.lastUsedAt} isPast /> : texts.never}
        </Fact>
        <Fact name={details.prefix}>
          <code>{apiKey.prefix}</code>
        </Fact>
        {replaces !== null && <Fact name={details.replaces}>{linkTo(replaces)}</Fact>}
        {replacedBy !== null && <Fact name={details.replacedBy}>{linkTo(replacedBy)}</Fact>}
      </dl>
      <CopyId id={apiKey.id} />
    </Section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Moment({ iso, isPast = false }: { readonly iso: string; readonly isPast?: boolean }) {
  const texts = useTexts();
  return (
    <time dateTime={iso}>
      {relativeTime(iso, useNow(), texts, isPast)}
      <span className={classes.exact}>{exactTime(iso, texts.language)}</span>
    </time>
  );
}

/** When the old key ends, as long as the new one has not been used. */
export function UntilUsed({ rotation: { old, next } }: { readonly rotation: Rotation }) {
  const { rotate, language } = useTexts();
  const { until, untilAfter, latest } = rotate.pair;
  return (
    <span className={classes.until}>
      <span>{next.graceSeconds ? untilAfter(duration(next.graceSeconds, language)) : until}</span>
      <span className={classes.exact}>
        <RelativeTime iso={old.expiresAt} text={latest} />
      </span>
    </span>
  );
}

/** Few people need the id, so it is not shown unless the browser can't copy (plain http, a policy, a refusal). */
function CopyId({ id }: { readonly id: string }) {
  const { keys, reveal } = useTexts();
  const { isCopied, isBlocked, copy } = useCopy();
  const shown = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isBlocked && shown.current) getSelection()?.selectAllChildren(shown.current);
  }, [isBlocked]);
  return (
    <Group gap="xs">
      <Button
        size="xs"
        variant="default"
        leftSection={isCopied ? <CheckIcon /> : <CopyIcon />}
        onClick={() => void copy(id)}
      >
        {isCopied ? reveal.copied : keys.copyId}
      </Button>
      {isBlocked && <code ref={shown}>{id}</code>}
      <VisuallyHidden role="status">{isCopied && reveal.copiedAloud}</VisuallyHidden>
    </Group>
  );
}
