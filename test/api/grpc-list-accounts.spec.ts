import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ListAccountsRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ListAccountsRequest.js';
import type { ListAccountsResponse__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ListAccountsResponse.js';
import { answer, bearer } from '../support/callers/grpc-clients.js';
import { startService, type Service } from '../support/processes/service.js';

describe('ListAccounts', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
    for (const id of ['ada', 'grace', 'margaret', 'barbara']) {
      await service.clients.putAccount({ id, email: `${id}@Example.com`, permissions: ['systems:read'], version: 3 });
    }
    await service.clients.account('SuspendAccount', 'grace');
    await service.clients.purgeAccount('barbara');
  });
  afterAll(() => service.stop());

  const list = (request: ListAccountsRequest) =>
    answer<ListAccountsResponse__Output>((done) =>
      service.clients.accounts.listAccounts(request, bearer('dev-accounts-token'), done),
    );
  const idsOf = ({ accounts }: ListAccountsResponse__Output) => accounts.map(({ id }) => id);
  // The demo owner is an account too.
  const ALL = ['ada', 'demo', 'grace', 'margaret'];

  test('answers each account as GetAccount does, without purged ones', async () => {
    const { accounts, nextPageToken } = await list({});
    expect(accounts.map(({ id }) => id)).toEqual(ALL);
    expect(nextPageToken).toBe('');
    expect(accounts).toEqual(await Promise.all(ALL.map((id) => service.clients.account('GetAccount', id))));
  });

  test('answers page by page', async () => {
    const pages: string[][] = [];
    let pageToken = '';
    do {
      const page = await list({ pageSize: 3, pageToken });
      pages.push(idsOf(page));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(pages).toEqual([ALL.slice(0, 3), ALL.slice(3)]);
  });

  test('filters by status, and by email in any case', async () => {
    expect(idsOf(await list({ status: 'ACCOUNT_STATUS_SUSPENDED' }))).toEqual(['grace']);
    expect(idsOf(await list({ status: 'ACCOUNT_STATUS_DELETED' }))).toEqual([]);
    expect(idsOf(await list({ email: 'ADA@example.com' }))).toEqual(['ada']);
    expect(idsOf(await list({ email: 'ada@example.com', status: 'ACCOUNT_STATUS_SUSPENDED' }))).toEqual([]);
    expect(idsOf(await list({ email: 'ada@example' }))).toEqual([]);
  });

  test.each<[string, ListAccountsRequest]>([
    ['page_size must be at most 1000', { pageSize: 1001 }],
    ['page_token must be the next_page_token of an earlier page', { pageToken: 'nonsense!' }],
    ['status must be a status of an account', { status: 9 as never }],
  ])('refuses a wrong field: %s', async (details, request) => {
    await expect(list(request)).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, details });
  });
});
