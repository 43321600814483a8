/** What the tab of the keys needs only after its list stands. One chunk, because each costs bytes of the first script. */
export { EmptyState } from './EmptyState';
export { KeyFilters } from './KeyFilters';
