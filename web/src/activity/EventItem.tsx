import { Badge, VisuallyHidden } from '@mantine/core';
import type { ApiKey, AuditEvent } from '../api/types';
import { useTexts } from '../texts';
import { Emphasised } from '../ui/Emphasised';
import { Hint } from '../ui/Hint';
import { RelativeTime } from '../ui/RelativeTime';
import classes from './activity.module.css';
import { describeEvent } from './describe-event';
import { shortUserAgent } from './user-agent';

interface Props {
  readonly event: AuditEvent;
  /** The key of the event, if it is known. */
  readonly apiKey: ApiKey | undefined;
  readonly showsPrefix: boolean;
}

export function EventItem({ event, apiKey, showsPrefix }: Props) {
  const texts = useTexts();
  const { activity } = texts;
  const sentence = describeEvent(event, texts);
  const name = apiKey?.name ?? activity.unknownName;
  return (
    <li className={classes.event} data-type={event.type}>
      <div className={classes.what}>
        {typeof sentence === 'string' ? sentence : <Emphasised sentence={sentence} word={name} />}
        {event.count > 1 && (
          <Badge size="sm" radius="sm" variant="default" tt="none" ms="xs">
            <span aria-hidden="true">{activity.times(event.count)}</span>
            <VisuallyHidden>{activity.timesAloud(event.count)}</VisuallyHidden>
          </Badge>
        )}
      </div>
      <LeakSite leak={event.leak} />
      <div className={classes.who}>
        <RelativeTime iso={event.at} isPast />
        {showsPrefix && apiKey && <code className={classes.prefix}>{apiKey.prefix}</code>}
        {event.clientIp && <span className={classes.address}>{event.clientIp}</span>}
        {event.userAgent && (
          <Hint label={event.userAgent}>
            <span tabIndex={0}>{shortUserAgent(event.userAgent)}</span>
          </Hint>
        )}
        {isByClock(event) && <span>{activity.service}</span>}
      </div>
    </li>
  );
}

/** The end of a key that no person requested at that moment. */
function isByClock({ type, reason }: AuditEvent): boolean {
  return type === 'api_key.expired' || (type === 'api_key.revoked' && reason === 'rotated');
}

/** Text instead of a link, because anyone can put any address into a leak report. */
function LeakSite({ leak }: Pick<AuditEvent, 'leak'>) {
  const { foundBy, foundAt } = useTexts().activity;
  return (
    <>
      {leak?.source && <div className={classes.what}>{foundBy(leak.source)}</div>}
      {leak?.url && <div className={classes.what}>{foundAt(leak.url)}</div>}
    </>
  );
}
