import { Button } from '@mantine/core';
import { useTexts } from '../texts';

/** A link, because the platform's login is another page. */
export function PlatformSignIn({ url }: { readonly url: string }) {
  const texts = useTexts();
  return (
    <Button component="a" href={url} fullWidth>
      {texts.session.platform.submit}
    </Button>
  );
}
