export type Field = 'name' | 'note' | 'access' | 'permissions' | 'grace' | 'expiry' | 'networks' | 'password';
export type FieldErrors = Partial<Record<Field, string>>;

/** In the order of the forms, so that the first wrong field gets the focus. */
export const FIELDS: readonly Field[] = [
  'name',
  'note',
  'access',
  'permissions',
  'grace',
  'expiry',
  'networks',
  'password',
];
