export { LatchkeyGuard } from './nestjs/latchkey-guard.js';
export { LatchkeyModule } from './nestjs/latchkey-module.js';
export { Permission, Public } from './nestjs/permission-decorator.js';
export { Principal } from './nestjs/principal-decorator.js';
