import type { LeaseRegistration } from '../../../application/leases/lease-registration.js';
import { RENEW_EVERY_MS } from '../../../domain/leases/registration.js';
import type { Log } from '../../telemetry/log.js';
import type { Job } from './job.js';

/** Keeps this instance registered if it gives leases, and removes the registrations of instances that ended. */
export class KeepLeaseRegistrationJob implements Job {
  readonly name = 'keep-lease-registration';
  readonly everyMs = RENEW_EVERY_MS;
  /** The last run fences the registration, so that another instance can delete it soon. */
  readonly runsAtEnd: boolean;

  constructor(
    private readonly registration: LeaseRegistration,
    private readonly log: Log,
  ) {
    this.runsAtEnd = registration.leaseMs > 0;
  }

  stop(): void {
    this.registration.leave();
  }

  async run(): Promise<number> {
    const { isNew, fenced, nextMs } = await this.registration.keep();
    const { leaseMs } = this.registration;
    if (isNew) this.log.info('leases are given', { leaseMs, registration: this.registration.own() });
    if (fenced > 0) this.log.info('instances that gave leases have ended without leaving', { fenced });
    return nextMs;
  }
}
