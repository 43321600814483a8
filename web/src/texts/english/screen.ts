/** The language of the screen: the panel, and the page around it. */
export { english as panel } from './english';
export { page } from './page';
