/** Ports for leases. See ports.ts. */
import type { Giver } from '../domain/leases/change-wait.js';
import type { Registration } from '../domain/leases/registration.js';

/** The processes that may give leases. */
export interface LeaseRegistrations {
  /** All of them, including fenced ones. */
  read(): Promise<{ readonly registrations: readonly Registration[]; readonly now: Date }>;
  /**
   * Adds the registration, unless it is there. The first one ever waits for each change that is under way, because it
   * found no registrations. Throws `unavailable` when that takes too long, so that further changes do not wait for it.
   */
  add(giver: Giver): Promise<void>;
  /** Returns false when the registration is fenced or missing. */
  renew(id: string): Promise<boolean>;
  /**
   * Resolves after the fence has committed.
   * @returns false when the registration is fenced already or missing
   */
  fence(id: string, fence: string): Promise<boolean>;
  /** Deletes the registration if this is its fence. */
  delete(id: string, fence: string): Promise<void>;
}
