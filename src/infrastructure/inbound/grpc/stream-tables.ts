import type { EventEmitter } from 'node:events';
import { PerformanceObserver } from 'node:perf_hooks';
import { types } from 'node:util';
import type { Server } from '@grpc/grpc-js';
import type { ServerPart } from './server-options.js';

/** The streams of an HTTP/2 connection, as Node keeps them: those that are open, and those that are about to be. */
interface SessionState {
  streams: Map<unknown, unknown>;
  pendingStreams: Set<unknown>;
}

/** What grpc-js has for each port that it listens on. */
interface WithHttp2Servers {
  readonly http2Servers?: ReadonlyMap<EventEmitter, unknown>;
}

/**
 * Lets calls that are over leave memory when they are. A Map or Set takes a new table now and then while entries come
 * and go, and V8 makes it where the one before was and links the two: once a connection has lived for a while, each
 * table of its streams is made in the old generation, and most of every call stays there until the next full collection.
 * A new Map and Set after each collection begin young, and linked to nothing.
 *
 * Neither Node nor grpc-js offers a way to them. Where they do not look as expected, all stays as it is, only slower.
 */
export class StreamTables implements ServerPart {
  private readonly states = new Set<SessionState>();
  private readonly collections = new PerformanceObserver(() => this.renew());

  constructor() {
    this.collections.observe({ entryTypes: ['gc'] });
  }

  /** @param server one that listens already */
  addTo(server: Server): void {
    const { http2Servers = new Map<EventEmitter, unknown>() } = server as unknown as WithHttp2Servers;
    for (const http2Server of http2Servers.keys()) {
      http2Server.on('session', (session: EventEmitter) => this.add(session));
    }
  }

  close(): void {
    this.collections.disconnect();
  }

  private add(session: EventEmitter): void {
    const state = stateOf(session);
    if (!state) return;
    this.states.add(state);
    session.once('close', () => this.states.delete(state));
  }

  private renew(): void {
    for (const state of this.states) {
      state.streams = new Map(state.streams);
      state.pendingStreams = new Set(state.pendingStreams);
    }
  }
}

function stateOf(session: object): SessionState | undefined {
  const key = Object.getOwnPropertySymbols(session).find(({ description }) => description === 'state');
  const state = key && (session as Record<symbol, Partial<SessionState>>)[key];
  return state && types.isMap(state.streams) && types.isSet(state.pendingStreams) ? (state as SessionState) : undefined;
}
