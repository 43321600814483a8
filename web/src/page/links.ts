import { writtenUrl } from './written';

/** An address that accepts keys, for the example curl command. */
export const exampleUrl = writtenUrl('example-url');

/** The address where people get help. */
export const helpUrl = writtenUrl('help-url');
