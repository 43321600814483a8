import type { Server } from '@grpc/grpc-js';

const PATIENCE_MS = 5000;

/** Lets open calls finish; whoever takes too long is cut off. */
export async function shutDownGrpc(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => server.forceShutdown(), PATIENCE_MS);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
