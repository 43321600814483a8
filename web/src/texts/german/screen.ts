/** The language of the screen: the panel, and the page around it. */
export { german as panel } from './german';
export { page } from './page';
