import type { FreshSignIn } from '@latchkey/panel';

const account = new URLSearchParams(location.search).get('account') ?? '';
const POLL_MS = 100;

let token: Promise<string> | undefined;

/** Like a platform's own login client: keeps a token, and opens a popup window in which the person signs in again. */
export function getToken(freshSignIn?: FreshSignIn): Promise<string> {
  if (!freshSignIn) return (token ??= fetch(`/token?account=${account}`).then((answer) => answer.text()));
  return signInAgain(freshSignIn).then((fresh) => (token = Promise.resolve(fresh)));
}

function signInAgain({ maxAgeSeconds, acrValues }: FreshSignIn): Promise<string> {
  const wanted = new URLSearchParams({ max_age: String(maxAgeSeconds), acr_values: acrValues.join(' '), account });
  const popup = window.open(`/sign-in?${wanted}`, '', 'popup,width=400,height=500');
  if (!popup) return Promise.reject(new Error('The browser blocked the window'));
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearInterval(polling);
      removeEventListener('message', receive);
    };
    const receive = ({ origin, source, data }: MessageEvent) => {
      if (origin !== location.origin || source !== popup) return;
      stop();
      popup.close();
      resolve(String(data));
    };
    const polling = setInterval(() => {
      if (!popup.closed) return;
      stop();
      reject(new Error('The window was closed'));
    }, POLL_MS);
    addEventListener('message', receive);
  });
}
