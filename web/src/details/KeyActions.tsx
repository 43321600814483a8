import { Button } from '@mantine/core';
import type { ApiKey } from '../api/types';
import { endsSoon } from '../key/expiry';
import { revokeAction } from '../key/revoke-words';
import { useCanMakeKeys } from '../base/context';
import type { Rotation } from '../key/rotation';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';
import type { NextStep } from './WhatToDo';

interface Props {
  /** An active one. */
  readonly apiKey: ApiKey;
  readonly rotation: Rotation | undefined;
  readonly onNext: (step: NextStep) => void;
}

export function KeyActions({ apiKey, rotation, onNext }: Props) {
  const texts = useTexts();
  const { keys } = texts;
  // A key that ends soon has this button at the top.
  const now = useNow();
  const canMakeKeys = useCanMakeKeys();
  const hasRotate = canMakeKeys && !rotation && !endsSoon(apiKey, now);
  const action = (step: NextStep, label: string) => (
    <Button size="xs" variant="default" onClick={() => onNext(step)}>
      {label}
    </Button>
  );
  return (
    <>
      {hasRotate && action('rotate', keys.rotate)}
      {canMakeKeys && !rotation && action('leaked', keys.leaked)}
      {action('revoke', revokeAction(apiKey, rotation, texts))}
    </>
  );
}
