export { LatchkeyGuard } from './nestjs/latchkey-guard.js';
export { LatchkeyModule } from './nestjs/latchkey-module.js';
export { Permission, Principal, Public } from './nestjs/decorators.js';
