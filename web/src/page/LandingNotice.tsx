import { HelpLink } from '../ui/HelpLink';
import { Notice } from '../ui/Notice';
import { isAnother, refusal } from './landing';
import { helpUrl } from './links';
import classes from './page.module.css';
import { words } from './words';

/** Reports an unexpected result of the sign-in to a person who comes back from the platform. */
export function LandingNotice() {
  if (refusal === undefined && !isAnother) return null;
  const said = isAnother ? words.another : words.refused[isReason(refusal) ? refusal : 'failed'];
  return (
    <div className={classes.landing}>
      <Notice tone={isAnother ? 'warning' : 'danger'} title={said.title}>
        {said.text} <HelpLink url={helpUrl} />
      </Notice>
    </div>
  );
}

/** The address may contain any text. */
function isReason(text: string | undefined): text is keyof typeof words.refused {
  return text !== undefined && Object.hasOwn(words.refused, text);
}
