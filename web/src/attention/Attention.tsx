import { Button, Text, Title, UnstyledButton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { nameOf, usePanel } from '../base/context';
import { useKeyDialogs } from '../key/actions';
import { leakPlace } from '../key/leak';
import { showCurrent, useApiKeys, useCanMakeKeys } from '../key/list';
import type { PanelPlace } from '../base/place';
import { PlaceLink } from '../ui/links';
import { revokeAction } from '../key/revoke-words';
import { pauseOf } from '../key/status';
import { useTexts, type Texts } from '../texts';
import { DAY_MS, relativeTime, shortDate, wholeNumber } from '../time/format';
import { useNow } from '../time/useNow';
import { once } from '../ui/buttons';
import { describeFailure } from '../ui/Notice';
import { AlertIcon, ClockIcon, WarningIcon } from '../ui/icons';
import { type Concern, isCalm, markOf } from './attention';
import { LastWeek } from '../history/LastWeek';
import { useKey } from '../key/useKey';
import list from '../ui/list.module.css';
import surface from '../ui/surface.module.css';
import classes from './Attention.module.css';

/** The number of lines that are shown at first. */
const SHOWN = 3;

interface Props {
  readonly concerns: readonly Concern[];
  /** Where the details of a key are. */
  readonly placeOf: (keyId: string) => PanelPlace;
}

/** What needs doing, and below it what is no alarm. */
export function Attention({ concerns, placeOf }: Props) {
  if (concerns.length === 0) return null;
  return (
    <div className={classes.sections}>
      <Concerns concerns={concerns.filter((concern) => !isCalm(concern))} placeOf={placeOf} />
      <Concerns concerns={concerns.filter(isCalm)} placeOf={placeOf} areCalm />
    </div>
  );
}

function Concerns({ concerns, placeOf, areCalm }: Props & { readonly areCalm?: boolean }) {
  const texts = useTexts();
  const { attention } = texts;
  const { client, announce, focusHeading } = usePanel();
  const queryClient = useQueryClient();
  const now = useNow();
  const canRotate = useCanMakeKeys();
  const canCreate = !useApiKeys(false).isFull && canRotate;
  const id = useId();
  const [showsAll, setShowsAll] = useState(false);
  const lines = useRef<HTMLUListElement>(null);
  // To fold a single line would save none.
  const shown = showsAll || concerns.length <= SHOWN + 1 ? concerns : concerns.slice(0, SHOWN);
  const handle = async (concern: Concern, line: HTMLElement) => {
    const { id: keyId, name } = concern.key;
    try {
      const marked = await client.markHandled(keyId, markOf(concern, now));
      // The line disappears with the focus.
      const next = line.nextElementSibling ?? line.previousElementSibling;
      (next?.querySelector('a') ?? { focus: focusHeading }).focus();
      await collapse(line);
      showCurrent(queryClient, [marked]);
      announce(attention.about(attention.handled, name));
    } catch (error) {
      announce(describeFailure(error, texts));
    }
  };
  if (concerns.length === 0) return null;
  return (
    <section className={`${list.frame} ${classes.section}`} aria-labelledby={id}>
      <Title order={3} size="h5" px="md" pt="sm">
        <span id={id}>{areCalm ? attention.calm : attention.title}</span>{' '}
        <Text span inherit c="dimmed">
          {concerns.length}
        </Text>
      </Title>
      <ul ref={lines} className={classes.lines}>
        {shown.map((concern) => (
          <Line
            key={`${concern.kind} ${concern.key.id}`}
            concern={concern}
            canRotate={canRotate}
            canCreate={canCreate}
            placeOf={placeOf}
            onHandled={handle}
          />
        ))}
      </ul>
      {shown.length < concerns.length && (
        <UnstyledButton
          className={surface.link}
          mx="md"
          mb="sm"
          py={4}
          onClick={() => {
            setShowsAll(true);
            // The button disappears; its place is taken by the first of the other lines.
            requestAnimationFrame(() => lines.current?.children[SHOWN]?.querySelector('button')?.focus());
          }}
        >
          {attention.showMore(concerns.length - shown.length)}
        </UnstyledButton>
      )}
    </section>
  );
}

/** Waits for what the stylesheet does with a line that is handled. */
async function collapse(line: HTMLElement): Promise<void> {
  line.style.height = `${line.offsetHeight}px`;
  line.toggleAttribute('data-handled', true);
  await Promise.all(line.getAnimations?.().map(({ finished }) => finished) ?? []);
}

const ICONS = { leaked: <AlertIcon />, failing: <WarningIcon />, soon: <ClockIcon />, calm: <AlertIcon /> };

function severityOf(concern: Concern): keyof typeof ICONS {
  const { kind } = concern;
  if (kind === 'leaked') return kind;
  if (kind === 'expired' || kind === 'idle') return 'failing';
  return kind === 'reading' || isCalm(concern) ? 'calm' : 'soon';
}

interface LineProps extends Pick<Props, 'placeOf'> {
  readonly concern: Concern;
  readonly canRotate: boolean;
  readonly canCreate: boolean;
  readonly onHandled: (concern: Concern, line: HTMLElement) => Promise<void>;
}

function Line({ concern, canRotate, canCreate, placeOf, onHandled }: LineProps) {
  const texts = useTexts();
  const { attention } = texts;
  const now = useNow();
  const { goTo } = usePanel();
  const { act, create } = useKeyDialogs();
  const fix = useRef<HTMLButtonElement>(null);
  const { key, kind } = concern;
  const isRevoked = kind === 'unused' || kind === 'idling';
  const isRotated = kind === 'expiring' || kind === 'seen';
  // What makes no key ends one, or shows what it uses.
  const canMend = (isRotated ? canRotate && !pauseOf(key, now) : canCreate) || isRevoked || kind === 'reading';
  const severity = severityOf(concern);
  const { title, text, label } = wordsOf(concern, now, texts);
  const mend = () => {
    const opener = fix.current;
    if (isRotated) act({ kind: 'rotate', key, opener });
    else if (isRevoked) {
      const { rotation } = concern;
      act({ kind: 'revoke', key: rotation?.next ?? key, ...(rotation && { rotation }), opener });
    }
    // The details say which permissions to leave out.
    else if (kind === 'reading') goTo(placeOf(key.id));
    else create(key);
  };
  return (
    <li className={classes.line}>
      <div className={classes.words} data-severity={severity}>
        {ICONS[severity]}
        <div>
          <strong>
            <PlaceLink place={placeOf(key.id)} className={surface.link}>
              <bdi>{key.name}</bdi>
            </PlaceLink>
          </strong>{' '}
          {title}
        </div>
        <Text c="dimmed">{text}</Text>
        {(kind === 'leaked' || kind === 'check') && <LeakedWeek concern={concern} place={placeOf(key.id)} />}
      </div>
      <div className={classes.actions}>
        {canMend && label !== undefined && (
          <Button ref={fix} variant="default" aria-label={attention.about(label, key.name)} onClick={mend}>
            {label}
          </Button>
        )}
        <Button
          variant="subtle"
          color="gray"
          c="dimmed"
          aria-label={attention.about(attention.handle, key.name)}
          onClick={once(({ currentTarget }) => void onHandled(concern, currentTarget.closest('li')!))}
        >
          {attention.handle}
        </Button>
      </div>
    </li>
  );
}

interface LeakedWeekProps {
  readonly concern: Concern;
  readonly place: PanelPlace;
}

function LeakedWeek({ concern: { kind, key, at }, place }: LeakedWeekProps) {
  const { about } = useTexts().attention;
  const found = useKey(key.id, true, true);
  return (
    <div className={classes.week} data-loading={found.isLoading ? kind : undefined}>
      <LastWeek
        found={found}
        end={Date.parse(at)}
        link={(words) => (
          <PlaceLink place={place} className={surface.link} aria-label={about(words, key.name)}>
            {words}
          </PlaceLink>
        )}
      />
    </div>
  );
}

interface Words {
  readonly title: string;
  readonly text: string;
  /** The name of the button that mends it. */
  readonly label?: string;
}

function wordsOf(concern: Concern, now: number, texts: Texts): Words {
  const { attention, keys, language } = texts;
  const { kind, key, at } = concern;
  if (kind === 'expiring') {
    const isInUse = key.lastUsedAt !== null && now - Date.parse(key.lastUsedAt) < 7 * DAY_MS;
    const { title, text, textInUse } = attention.expiring;
    return { title: title(relativeTime(at, now, texts)), text: isInUse ? textInUse : text, label: keys.rotate };
  }
  if (kind === 'reading') return { ...attention.reading, label: attention.reading.fix };
  if (kind === 'seen') {
    const { title, text } = attention.seen;
    return { title: title(nameOf(key.createdBy!)), text, label: keys.rotate };
  }
  if (kind === 'unused' || kind === 'idling') {
    const { rotation } = concern;
    const title =
      kind === 'unused'
        ? attention.unused.title(relativeTime(at, now, texts))
        : keys.idleEnds(shortDate(at, now, language));
    const label = revokeAction(rotation?.next ?? key, rotation, texts);
    return { title: `· ${title}`, text: attention[kind].text, label };
  }
  const when = relativeTime(at, now, texts, true);
  const { leaked: leak } = attention;
  if (kind === 'check') return { title: leak.title(leak.somewhere, when), text: leak.check };
  const { rejected } = concern;
  const since = rejected > 0 ? attention.rejected(rejected, wholeNumber(rejected, language)) : '';
  if (kind === 'leaked') {
    const { title, text, fix, on, by, somewhere } = leak;
    const { host, source } = key.leak ? leakPlace(key.leak) : {};
    const leaked = host === undefined ? (source === undefined ? somewhere : by(source)) : on(host);
    return { title: title(leaked, when) + since, text, label: fix };
  }
  const { title, text, textRejected } = attention[kind];
  return { title: title(when) + since, text: rejected > 0 ? textRejected : text, label: keys.createAgain };
}
