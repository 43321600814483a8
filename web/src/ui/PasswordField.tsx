import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import type { RefObject } from 'react';
import { useTexts } from '../texts';
import surface from './surface.module.css';

type Props = PasswordInputProps & { readonly ref?: RefObject<HTMLInputElement | null> };

/** The library hides the eye button from the keyboard and from screen readers, whose users need it most. */
export function PasswordField(props: Props) {
  const texts = useTexts();
  return (
    <PasswordInput
      name="password"
      autoComplete="current-password"
      classNames={{ input: surface.password }}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': texts.showPassword }}
      {...props}
    />
  );
}
