import { writtenUrl } from './written';

/** An address that accepts keys, for the examples. */
export const exampleUrl = writtenUrl('example-url');

/** The address that explains how to use a key. */
export const docsUrl = writtenUrl('docs-url');

/** The address where people get help. */
export const helpUrl = writtenUrl('help-url');
