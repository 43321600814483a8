export { sql } from './databases.mjs';
