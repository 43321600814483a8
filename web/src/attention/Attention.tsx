import { Button, Title, UnstyledButton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { usePanel } from '../base/context';
import { nameOf } from '../base/owner';
import { useKeyDialogs } from '../key/actions';
import { leakPlace } from '../key/leak';
import { showCurrent, useCanMakeKeys } from '../key/list';
import type { PanelPlace } from '../base/place';
import { usePlaceLinks } from '../ui/links';
import { revokeAction } from '../key/revoke-words';
import { useTexts, type Texts } from '../texts';
import { DAY_MS, pastDay, relativeTime, shortDate, wholeNumber } from '../time/format';
import { useNow } from '../time/useNow';
import { dangerous } from '../ui/dangerous';
import { describeFailure } from '../ui/FailureAlert';
import { AlertIcon, CheckIcon, ClockIcon, WarningIcon } from '../ui/icons';
import { type Concern, markOf } from './attention';
import surface from '../ui/surface.module.css';
import classes from './Attention.module.css';

/** The number of lines that are shown at first. */
const SHOWN = 3;

interface Props {
  readonly concerns: readonly Concern[];
  /** They are no alarm. */
  readonly areCalm?: boolean;
  /** Where the details of a key are. */
  readonly placeOf: (keyId: string) => PanelPlace;
}

export function Attention({ concerns, placeOf, areCalm }: Props) {
  const texts = useTexts();
  const { attention } = texts;
  const { client, announce, focusHeading } = usePanel();
  const queryClient = useQueryClient();
  const now = useNow();
  const id = useId();
  const [showsAll, setShowsAll] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const shown = showsAll ? concerns : concerns.slice(0, SHOWN);
  const handle = async (concern: Concern, line: HTMLElement) => {
    const { id: keyId, name } = concern.key;
    try {
      const marked = await client.markHandled(keyId, markOf(concern, now));
      // The line disappears with the focus.
      const next = line.nextElementSibling ?? line.previousElementSibling;
      (next?.querySelector('button') ?? { focus: focusHeading }).focus();
      await collapse(line);
      showCurrent(queryClient, [marked]);
      announce(attention.about(attention.handled, name));
    } catch (error) {
      announce(describeFailure(error, texts));
    }
  };
  if (concerns.length === 0) return null;
  return (
    <section className={classes.attention} data-calm={areCalm} aria-labelledby={id}>
      <Title order={3} size="h5" className={classes.title}>
        <span id={id}>{areCalm ? attention.calm : attention.title}</span>{' '}
        <span className={classes.count}>{concerns.length}</span>
      </Title>
      <ul ref={list}>
        {shown.map((concern, index) => (
          <Line
            key={`${concern.kind} ${concern.key.id}`}
            concern={concern}
            isFirst={index === 0}
            placeOf={placeOf}
            onHandled={handle}
          />
        ))}
      </ul>
      {shown.length < concerns.length && (
        <UnstyledButton
          className={`${classes.more} ${surface.link}`}
          onClick={() => {
            setShowsAll(true);
            // The button disappears; its place is taken by the first of the other lines.
            requestAnimationFrame(() => list.current?.children[SHOWN]?.querySelector('button')?.focus());
          }}
        >
          {attention.showMore(concerns.length - shown.length)}
        </UnstyledButton>
      )}
    </section>
  );
}

/** With reduced motion, the stylesheet has nothing to wait for. Some browsers of tests know no animations. */
async function collapse(line: HTMLElement): Promise<void> {
  line.style.setProperty('--height', `${line.offsetHeight}px`);
  line.toggleAttribute('data-handled', true);
  await Promise.all(line.getAnimations?.().map(({ finished }) => finished) ?? []);
}

/** The colour and the icon of a line. */
const SEVERITY = {
  leaked: 'leaked',
  expired: 'failing',
  idle: 'failing',
  expiring: 'soon',
  seen: 'soon',
  unused: 'soon',
  reading: 'calm',
  idling: 'calm',
} as const satisfies Record<Concern['kind'], string>;
const ICON = { leaked: <AlertIcon />, failing: <WarningIcon />, soon: <ClockIcon />, calm: <AlertIcon /> };

interface LineProps extends Pick<Props, 'placeOf'> {
  readonly concern: Concern;
  /** The most urgent one. */
  readonly isFirst: boolean;
  readonly onHandled: (concern: Concern, line: HTMLElement) => Promise<void>;
}

function Line({ concern, isFirst, placeOf, onHandled }: LineProps) {
  const texts = useTexts();
  const { attention } = texts;
  const now = useNow();
  const { act, create } = useKeyDialogs();
  const linkTo = usePlaceLinks();
  const fix = useRef<HTMLButtonElement>(null);
  const { key, kind } = concern;
  // What does not make a key ends one.
  const isRevoked = kind === 'unused' || kind === 'idling';
  const canMakeKeys = useCanMakeKeys();
  const severity = SEVERITY[kind];
  const details = linkTo(placeOf(key.id));
  const { title, text, label } = wordsOf(concern, now, texts);
  const mend = () => {
    const opener = fix.current;
    if (kind === 'expiring' || kind === 'seen') act({ kind: 'rotate', key, opener });
    else if (isRevoked) {
      const { rotation } = concern;
      act({ kind: 'revoke', key: rotation?.next ?? key, ...(rotation && { rotation }), opener });
    } else create(key);
  };
  const look = { className: classes.action!, 'aria-label': attention.about(label, key.name) };
  return (
    <li className={classes.line} data-severity={severity}>
      {ICON[severity]}
      <div>
        <a {...details} className={classes.name}>
          <bdi>{key.name}</bdi>
        </a>{' '}
        {title}
        <div className={classes.text}>{text}</div>
      </div>
      <div className={classes.actions}>
        {kind === 'reading' && (
          // The details say which permissions to leave out.
          <Button component="a" {...details} variant="default" {...look}>
            {label}
          </Button>
        )}
        {kind !== 'reading' && (canMakeKeys || isRevoked) && (
          <Button
            ref={fix}
            {...(isRevoked ? dangerous : { variant: isFirst ? 'filled' : 'default' })}
            {...look}
            onClick={mend}
          >
            {label}
          </Button>
        )}
        <Button
          variant="default"
          className={`${classes.action} ${classes.check}`}
          leftSection={<CheckIcon />}
          aria-label={attention.about(attention.handled, key.name)}
          onClick={({ currentTarget }) => void onHandled(concern, currentTarget.closest('li')!)}
        >
          <span>{attention.handled}</span>
        </Button>
      </div>
    </li>
  );
}

function wordsOf(concern: Concern, now: number, texts: Texts) {
  const { attention, language } = texts;
  const { kind, key, at } = concern;
  if (kind === 'expiring') {
    const isInUse = key.lastUsedAt !== null && now - Date.parse(key.lastUsedAt) < 7 * DAY_MS;
    const { title, text, textInUse, fix } = attention.expiring;
    return { title: title(relativeTime(at, now, texts)), text: isInUse ? textInUse : text, label: fix };
  }
  if (kind === 'reading') return { ...attention.reading, label: attention.reading.fix };
  if (kind === 'seen') {
    const { title, text } = attention.seen;
    return { title: title(nameOf(key.createdBy!)), text, label: attention.expiring.fix };
  }
  if (kind === 'unused' || kind === 'idling') {
    const { rotation } = concern;
    const title =
      kind === 'unused'
        ? attention.unused.title(relativeTime(at, now, texts))
        : texts.keys.idleEnds(shortDate(at, now, language));
    const label = revokeAction(rotation?.next ?? key, rotation, texts);
    return { title: `· ${title}`, text: attention[kind].text, label };
  }
  const when = pastDay(at, now, texts);
  const { rejected } = concern;
  const since = rejected > 0 ? attention.rejected(rejected, wholeNumber(rejected, language)) : '';
  if (kind === 'leaked') {
    const { title, text, fix, on, by, somewhere } = attention.leaked;
    const { host, source } = key.leak ? leakPlace(key.leak) : {};
    const leaked = host === undefined ? (source === undefined ? somewhere : by(source)) : on(host);
    return { title: title(leaked, when) + since, text, label: fix };
  }
  const { title, text, textRejected, fix } = attention[kind];
  return { title: title(when) + since, text: rejected > 0 ? textRejected : text, label: fix };
}
