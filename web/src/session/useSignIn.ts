import { useRef, useState } from 'react';
import type { ApiClient } from '../api/client';
import { hasCode } from '../api/problem';
import { useTexts } from '../texts';
import { describeFailure } from '../ui/describe-failure';

/** Not a mutation of TanStack Query, whose cache would keep the password. */
export function useSignIn(client: ApiClient, onSignedIn: () => void) {
  const texts = useTexts();
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<string>();
  const underWay = useRef(false);

  const signIn = async (email: string, password: string): Promise<boolean> => {
    if (underWay.current) return false;
    underWay.current = true;
    setSending(true);
    setFailure(undefined);
    try {
      await client.signIn(email, password);
      onSignedIn();
      return true;
    } catch (error) {
      const isWrong = hasCode(error, 'invalid_credentials', 'invalid_fields');
      setFailure(isWrong ? texts.session.wrong : describeFailure(error, texts));
      return false;
    } finally {
      underWay.current = false;
      setSending(false);
    }
  };
  return { signIn, isSending, failure };
}
