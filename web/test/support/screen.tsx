import { MantineProvider } from '@mantine/core';
import { afterEach, beforeEach } from '@jest/globals';
import { cleanup, configure, render, screen, waitFor, within } from '@testing-library/react/pure';
import { userEvent } from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { usePlaceInAddress } from '../../src/base/address';
import { ApiKeysPanel, type ApiKeysPanelProps, english, german } from '../../src/index';
import { PageTextsContext, TextsContext } from '../../src/texts';
import { page as englishPage } from '../../src/texts/english/page';
import { page as germanPage } from '../../src/texts/german/page';
import { theme } from '../../src/theme';

configure({
  // A slow machine is no fault.
  asyncUtilTimeout: 60_000,
  // Otherwise each query computes the styles of everything on the page.
  defaultHidden: true,
  // Each failed try of a query that waits makes an error. The whole tree in it would take longer than the query.
  getElementError: (message, container) => new Error(`${message}\n\nThe page says: ${container.textContent}`),
});

// Style sheets are left out, so an element has the styles of its own attribute alone.
window.getComputedStyle = (element) => (element as HTMLElement).style;

let faults: unknown[][] = [];
beforeEach(() => {
  faults = [];
  console.error = (...fault: unknown[]) => void faults.push(fault);
  // Without a layout Mantine finds nothing to focus in a menu that it has not placed yet.
  console.warn = () => {};
});
afterEach(() => {
  cleanup();
  history.replaceState(null, '', '/settings/api-keys');
  sessionStorage.clear();
  if (faults.length > 0) throw new Error(`The console says: ${faults.join('\n')}`);
});

export { screen, waitFor, within };

/** Waits for nothing between keys. */
export const user = userEvent.setup({ delay: null });

export const PASSWORD = 'correct horse';

export type Language = 'en' | 'de';
const TEXTS = { en: [english, englishPage], de: [german, germanPage] } as const;

interface Options extends Partial<ApiKeysPanelProps> {
  readonly language?: Language;
}

/** Shows the panel, whose place is in the address. */
export function openPanel({ language = 'en', ...props }: Options = {}) {
  return render(<InAddress {...props} texts={TEXTS[language][0]} />);
}

function InAddress(props: Partial<ApiKeysPanelProps>) {
  const [place, goTo] = usePlaceInAddress();
  return <ApiKeysPanel apiBaseUrl="" place={place} onPlace={goTo} {...props} />;
}

/** Shows something of the page around the panel, as `main.tsx` does. */
export function openPage(content: ReactNode, language: Language = 'en') {
  const [panel, page] = TEXTS[language];
  document.documentElement.lang = language;
  return render(
    <MantineProvider theme={theme}>
      <TextsContext value={panel}>
        <PageTextsContext value={page}>{content}</PageTextsContext>
      </TextsContext>
    </MantineProvider>,
  );
}

export const button = (name: string | RegExp) => screen.findByRole('button', { name });

/** Presses a button as soon as it can be pressed. */
export async function press(
  name: string | RegExp,
  scope: { getByRole: typeof screen.getByRole } = screen,
): Promise<void> {
  const found = await waitFor(() => {
    const each = scope.getByRole('button', { name });
    if (each.matches(':disabled, [aria-disabled="true"]')) throw new Error(`The button ${name} is disabled`);
    return each;
  });
  await user.click(found);
}

/** Waits for an open dialog. */
export const dialog = async (name: string | RegExp) => within(await screen.findByRole('dialog', { name }));

/** Waits until an element that was found with `queryBy…` is removed. */
export const isGone = (find: () => unknown) =>
  waitFor(() => {
    if (find() !== null) throw new Error('It is still there');
  });

export async function type(label: string | RegExp, text: string): Promise<void> {
  const field = await screen.findByLabelText(label);
  await user.clear(field);
  if (text !== '') await user.paste(text);
}

/** Chooses one of several: a radio button. */
export const choose = async (name: string) => user.click(await screen.findByRole('radio', { name }));
export const isChosen = (name: string) => screen.getByRole<HTMLInputElement>('radio', { name }).checked;

export async function openCreate(): Promise<void> {
  await press(/^Create (API|your first API|its first API) key$/);
  await screen.findByRole('dialog', { name: 'Create API key' });
  await openTerms();
}

/** Opens all fields behind the words of the sentence. */
export async function openTerms(): Promise<void> {
  const form = within(await screen.findByRole('dialog'));
  for (const word of await form.findAllByRole('button', { expanded: false })) await user.click(word);
}

export async function fillCreate({ name = 'CI deploy', password = PASSWORD } = {}): Promise<void> {
  await type('Name', name);
  await type('Your password', password);
}

/** Waits for a new key, and answers it. */
export const shownKey = async (): Promise<string> =>
  (await screen.findByRole('textbox', { name: 'Your new API key' })).textContent ?? '';

/** The row of a key. */
export const row = async (name: string) => {
  const header = await screen.findByRole('rowheader', { name: new RegExp(`^${name}`) });
  return within(header.closest('[role="row"], tr') as HTMLElement);
};

export const keyNames = (): (string | null)[] =>
  screen.getAllByRole('rowheader').map((header) => within(header).getByRole('link').textContent);

export async function chooseAction(keyName: string, action: string): Promise<void> {
  await press(`Actions for ${keyName}`);
  await user.click(await screen.findByRole('menuitem', { name: action }));
}

export const announcement = (text: string | RegExp) => screen.findByText(text);

/** Waits until an element has the focus. */
export const focusOn = (find: () => Element | null) =>
  waitFor(() => {
    if (document.activeElement !== find())
      throw new Error(`The focus is on ${document.activeElement?.outerHTML.slice(0, 200)}`);
  });
