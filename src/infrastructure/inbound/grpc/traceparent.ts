import type { Metadata } from '@grpc/grpc-js';

/** W3C Trace Context, where gRPC carries it. */
export function traceparentOf(metadata: Metadata): string | undefined {
  return metadata.get('traceparent')[0]?.toString();
}
