/** The look of each button that leads to the end of a key. The one that ends it is filled. */
export const dangerous = { variant: 'outline', color: 'red', c: 'var(--mantine-color-error)' } as const;
