import { UnstyledButton } from '@mantine/core';
import { useTexts } from '../texts';
import classes from './details.module.css';
import { useKey } from '../key/list';

interface Props {
  readonly id: string;
  readonly onOpen: (keyId: string) => void;
}

/** Leads to the details of another key. */
export function OtherKey({ id, onOpen }: Props) {
  const { details } = useTexts();
  const { key } = useKey(id);
  return (
    <UnstyledButton className={classes.link} onClick={() => onOpen(id)}>
      {key ? details.otherKey(key.prefix) : details.otherKeyGone}
    </UnstyledButton>
  );
}
