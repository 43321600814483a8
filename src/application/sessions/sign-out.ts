import type { Sessions } from '../ports.js';

export class SignOut {
  constructor(private readonly sessions: Sessions) {}

  /** Signing out twice does no harm. */
  execute(token: string): Promise<void> {
    return this.sessions.end(token);
  }
}
