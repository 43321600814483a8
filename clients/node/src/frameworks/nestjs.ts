export { LatchkeyGuard } from './nestjs/guard.js';
export { LatchkeyModule } from './nestjs/module.js';
export { Permission } from './nestjs/permission.js';
export { Principal } from './nestjs/principal.js';
