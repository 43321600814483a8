import { texts } from '../texts';
import { HelpLink } from '../ui/HelpLink';
import { Notice } from '../ui/Notice';
import { isAnother, refusal } from './landing';
import { helpUrl } from './links';
import classes from './page.module.css';

/** Tells a person who comes back from the platform what came of it, unless it is what they expect. */
export function LandingNotice() {
  const { refused, another } = texts.session.platform;
  if (refusal === undefined && !isAnother) return null;
  const words = isAnother ? another : refused[isReason(refusal) ? refusal : 'failed'];
  return (
    <div className={classes.landing}>
      <Notice tone={isAnother ? 'warning' : 'danger'} title={words.title}>
        {words.text} <HelpLink url={helpUrl} />
      </Notice>
    </div>
  );
}

/** What stands in the address may be anybody's. */
function isReason(text: string | undefined): text is keyof typeof texts.session.platform.refused {
  return text !== undefined && Object.hasOwn(texts.session.platform.refused, text);
}
