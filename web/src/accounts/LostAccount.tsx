import { Button, Group } from '@mantine/core';
import { usePanel } from '../base/context';
import { useTexts } from '../texts';
import { Notice } from '../ui/Notice';
import classes from './ServiceAccount.module.css';

interface Props {
  /** The name of the account, or empty if it is not known. Undefined: nothing to report. */
  readonly lost: string | undefined;
  readonly onClose: () => void;
}

/** Explains why the person sees their own keys instead of those of a service account. */
export function LostAccount({ lost, onClose }: Props) {
  const texts = useTexts();
  const { focusHeading } = usePanel();
  const words = texts.accounts.lost;
  if (lost === undefined) return null;
  const close = () => {
    onClose();
    focusHeading();
  };
  return (
    <div className={classes.notice}>
      <Notice tone="warning" title={lost === '' ? words.titleUnknown : words.title(lost)}>
        {words.text}
        <Group mt="sm">
          <Button size="xs" variant="default" onClick={close}>
            {texts.close}
          </Button>
        </Group>
      </Notice>
    </div>
  );
}
