import { Button, Group } from '@mantine/core';
import { HelpLink } from '../ui/HelpLink';
import { Notice } from '../ui/Notice';
import { helpUrl, otherAccount, refusal } from './written';
import classes from './page.module.css';
import { type PageTexts, usePageTexts } from '../texts';

type Reason = keyof PageTexts['refused'];

/** The platform would only sign the same person in again. */
const OF_ACCOUNTS: readonly Reason[] = ['no_account', 'service_account', 'suspended', 'deleted'];

/** Reports that somebody else is signed in, or an unexpected result of a sign-in at the platform. */
export function LandingNotice({ isAnother }: { readonly isAnother: boolean }) {
  const { another, refused, ...texts } = usePageTexts();
  if (refusal === undefined && !isAnother) return null;
  // The address may contain any text.
  const reason = refusal !== undefined && Object.hasOwn(refused, refusal) ? (refusal as Reason) : 'failed';
  const said = isAnother ? another : refused[reason];
  const offersOther = !isAnother && OF_ACCOUNTS.includes(reason) && otherAccount !== undefined;
  return (
    <div className={classes.landing}>
      <Notice tone={isAnother || reason === 'cancelled' ? 'warning' : 'danger'} title={said.title}>
        {said.text}
        {(offersOther || helpUrl !== undefined) && (
          <Group mt="sm">
            {offersOther && (
              <Button component="a" href={otherAccount} size="xs" variant="default">
                {texts.otherAccount}
              </Button>
            )}
            <HelpLink url={helpUrl} />
          </Group>
        )}
      </Notice>
    </div>
  );
}
