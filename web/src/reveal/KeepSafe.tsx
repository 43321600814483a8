import { Text } from '@mantine/core';
import { useTexts } from '../texts';
import { CheckIcon, RevokeIcon } from '../ui/icons';
import classes from './reveal.module.css';

export function KeepSafe() {
  const { where, keepIn, keepOut } = useTexts().reveal;
  return (
    <div>
      <Text size="sm" fw={600} mb={6}>
        {where}
      </Text>
      <ul className={classes.keep}>
        <li data-good>
          <CheckIcon />
          {keepIn}
        </li>
        <li>
          <RevokeIcon />
          {keepOut}
        </li>
      </ul>
    </div>
  );
}
