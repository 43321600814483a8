export { ApiKeysPanel, type ApiKeysPanelProps } from './panel/ApiKeysPanel';
export { placeOf, searchOf, type PanelPlace } from './base/place';
export type { FreshSignIn } from './api/problem';
export type { AccessLevel, ApiKey, AuditEvent, KeyStatus } from './api/types';
export { english } from './texts/english/english';
export { german } from './texts/german/german';
export type { Texts } from './texts';
