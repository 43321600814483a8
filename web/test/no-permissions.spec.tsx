/** @jest-environment <rootDir>/test/support/jest/page-environment.mjs */
import { expect, test } from '@jest/globals';
import { ScriptedApi } from './support/api';
import { choose, isGone, openCreate, openPanel, screen } from './support/screen';

test('the form says that a key of an owner without permissions can do next to nothing, at this access level', async () => {
  const api = new ScriptedApi();
  api.permissions = ['systems:write'];
  openPanel();
  await openCreate();
  const warning = 'You have no permissions that a key with this access can use.';
  await screen.findByText(warning);
  await choose('Read and write');
  await isGone(() => screen.queryByText(warning));
  expect(api.calls('getPermissions')).toHaveLength(1);
});
