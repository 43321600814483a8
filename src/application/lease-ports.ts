/** Ports for leases. See ports.ts. */
import type { Giver } from '../domain/leases/change-wait.js';
import type { Recall } from '../domain/leases/giving.js';
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

/** What the processes that give leases hear and answer. Messages may be lost: then a change waits for the end of the leases. */
export interface ChangeMessages {
  /** Calls the listener with each change that was committed, while this process listens. */
  onChange(listener: (recall: Recall) => void): void;
  /**
   * No lease that this process gave before that change can be used any more. Never fails and never waits.
   * @param giverId of the registration under which the leases were given
   */
  acknowledge(giverId: string, notificationId: string): void;
}
