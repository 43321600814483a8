import type { LeakReport } from '../../../../domain/leaks/leak-report.js';
import type { LeakReportRow } from './leak-rows.js';

export function fromLeakReport({ keys, reporter, source, url }: LeakReport): Omit<LeakReportRow, 'id'> {
  return {
    publicParts: keys.map(({ publicPart }) => publicPart),
    digests: keys.map(({ digest }) => digest),
    actorId: reporter.actorId,
    clientIp: reporter.client.ip,
    userAgent: reporter.client.userAgent,
    requestId: reporter.client.requestId,
    source,
    url,
  };
}

export function toLeakReport(row: LeakReportRow): LeakReport {
  const client = { ip: row.clientIp, userAgent: row.userAgent, requestId: row.requestId };
  return {
    keys: row.digests.map((digest, index) => ({ publicPart: row.publicParts[index]!, digest })),
    reporter: { actorId: row.actorId, client },
    source: row.source,
    url: row.url,
  };
}
