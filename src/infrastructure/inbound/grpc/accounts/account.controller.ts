import { Metadata, type ServerUnaryCall } from '@grpc/grpc-js';
import { Controller, UseFilters } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import { ChangeAccountStatus } from '../../../../application/accounts/change-account-status.js';
import { GetAccount } from '../../../../application/accounts/get-account.js';
import { PutAccount } from '../../../../application/accounts/put-account.js';
import { accountIdProblem, type Account } from '../../../../domain/accounts/account.js';
import { requireFields } from '../../../../domain/errors.js';
import { ServiceIdentity } from '../../shared/service-identity.js';
import { GrpcRequestTimes } from '../../../telemetry/request-times.js';
import { Traces } from '../../../telemetry/traces.js';
import { callerOf } from '../caller.js';
import { ACCOUNT_STATUS } from '../validation/enums.js';
import type { Account as WireAccount } from '../generated/latchkey/v1/Account.js';
import type { PutAccountRequest__Output } from '../generated/latchkey/v1/PutAccountRequest.js';
import { GrpcErrorFilter } from '../grpc-error.js';
import { timed } from '../timed.js';
import { traceparentOf } from '../traceparent.js';

type Call = ServerUnaryCall<unknown, WireAccount>;
interface ById {
  readonly id: string;
}

@Controller()
@UseFilters(GrpcErrorFilter)
export class AccountController {
  constructor(
    private readonly putAccount: PutAccount,
    private readonly getAccount: GetAccount,
    private readonly status: ChangeAccountStatus,
    private readonly identity: ServiceIdentity,
    private readonly times: GrpcRequestTimes,
    private readonly traces: Traces,
  ) {}

  @GrpcMethod('AccountService', 'PutAccount')
  put(request: PutAccountRequest__Output, _metadata: Metadata, call: Call): Promise<WireAccount> {
    const { version, ...profile } = request;
    return this.answer(call, () =>
      this.putAccount.execute({ ...profile, version: version === undefined ? undefined : BigInt(version) }),
    );
  }

  @GrpcMethod('AccountService', 'GetAccount')
  get({ id }: ById, _metadata: Metadata, call: Call): Promise<WireAccount> {
    return this.answer(call, () => this.getAccount.execute(id), id);
  }

  @GrpcMethod('AccountService', 'SuspendAccount')
  suspend({ id }: ById, _metadata: Metadata, call: Call): Promise<WireAccount> {
    return this.answer(call, () => this.status.suspend(id), id);
  }

  @GrpcMethod('AccountService', 'ReactivateAccount')
  reactivate({ id }: ById, _metadata: Metadata, call: Call): Promise<WireAccount> {
    return this.answer(call, () => this.status.reactivate(id), id);
  }

  @GrpcMethod('AccountService', 'DeleteAccount')
  delete({ id }: ById, _metadata: Metadata, call: Call): Promise<WireAccount> {
    return this.answer(call, () => this.status.delete(id), id);
  }

  /** @param id to be checked here, where nothing else does */
  private answer(call: Call, work: () => Promise<Account>, id?: string): Promise<WireAccount> {
    const method = call.getPath().replace('/latchkey.v1.', '');
    return this.traces.serve(method, traceparentOf(call.metadata), (span) =>
      timed(this.times.of(method), span, () => this.work(call, work, id)),
    );
  }

  private async work(call: Call, work: () => Promise<Account>, id: string | undefined): Promise<WireAccount> {
    this.identity.require('accounts', callerOf(call));
    if (id !== undefined) requireFields({ id: accountIdProblem(id) });
    return toWire(await work());
  }
}

function toWire(account: Account): WireAccount {
  return {
    id: account.id,
    email: account.email,
    displayName: account.displayName,
    permissions: [...account.permissions],
    status: ACCOUNT_STATUS[account.status],
    version: account.version.toString(),
  };
}
