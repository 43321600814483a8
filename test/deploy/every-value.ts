import type { Tree } from './chart.js';

/** Values that switch on every part of the chart, in addition to the required ones. */
export const EVERYTHING: Tree = {
  env: {
    WORKERS: '2',
    RATE_LIMIT_BURST: '1000000',
    TRUSTED_PROXIES: '10.244.0.0/16',
    MAIL_FROM: 'Keys <keys@example.com>',
  },
  secrets: {
    REDIS_URL: { existingSecret: 'redis', key: 'url' },
    AUDIT_SEAL_KEY: { existingSecret: 'seal' },
    SMTP_URL: { existingSecret: 'mail' },
  },
  metricsPort: 9464,
  image: { repository: 'images.example.com/latchkey', digest: `sha256:${'a'.repeat(64)}` },
  imagePullSecrets: [{ name: 'images' }],
  grpcTls: { existingSecret: 'grpc-tls', clientRoles: ['systems.internal:validator', 'users.internal:accounts'] },
  forwardAuth: {
    routes: [
      { method: 'GET', path: '/backend/api/systems/**', permission: 'systems:read' },
      { method: 'GET', path: '/backend/api/systems/{id}', permission: 'systems/{id}:read' },
      { method: '*', host: 'odd.example.com', path: '/<"odd">/*', permission: '', operation: 'write' },
    ],
    edgePort: 3100,
  },
  autoscaling: { enabled: true },
  ingress: {
    enabled: true,
    className: 'nginx',
    host: 'keys.example.com',
    tlsSecret: 'keys',
    annotations: { 'example.com/a': 'b' },
  },
  networkPolicy: {
    enabled: true,
    httpFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }],
    grpcFrom: [{ podSelector: { matchLabels: { 'latchkey-client': 'true' } } }],
    edgeFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'gateways' } } }],
    metricsFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
    egress: [{ ports: [{ port: 5432, protocol: 'TCP' }] }],
  },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  service: { annotations: { 'example.com/a': 'b' } },
  keyRotation: {
    enabled: true,
    schedule: '15 2 * * 1',
    secret: 'ci-key',
    issuerSecret: 'ci-issuer',
    graceSeconds: 3600,
  },
  serviceAccount: { name: 'keys', annotations: { 'example.com/a': 'b' } },
  podAnnotations: { 'example.com/a': 'b' },
  podLabels: { team: 'platform' },
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  priorityClassName: 'high',
  extraVolumes: [{ name: 'ca', configMap: { name: 'database-ca' } }],
  extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/database-ca' }],
};
