import { usePanel } from '../base/context';
import type { KeptDraft } from './kept-draft';

/** What a person who is back from a sign-in had typed for the account that is shown. */
export function useReturned(): KeptDraft | undefined {
  const { account, trip } = usePanel();
  const returned = trip?.returned;
  return returned?.account === account?.id ? returned : undefined;
}
