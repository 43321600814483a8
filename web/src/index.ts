export { ApiKeysPanel, type ApiKeysPanelProps } from './panel/ApiKeysPanel';
export type { AccessLevel, ApiKey, AuditEvent, KeyStatus } from './api/types';
export type { Texts } from './texts';
