import { writtenUrl } from './written';

/** An address that takes keys, for the example curl line. */
export const exampleUrl = writtenUrl('example-url');

/** Where people get help who are stuck here. */
export const helpUrl = writtenUrl('help-url');
